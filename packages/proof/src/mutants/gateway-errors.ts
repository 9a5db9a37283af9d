import type { Mutant } from './mutant.ts';

export const gatewayErrors: readonly Mutant[] = [
  {
    rule: 'GW-ERROR-BODY',
    breaks: 'errors about credentials come as problem+json',
    companions: [],
    create: () => ({
      answer(answer, { isGateway }) {
        if (!isGateway || answer.status !== 401 || !answer.json?.code) return;
        answer.headers.set('Content-Type', 'application/problem+json');
      },
    }),
  },
  {
    rule: 'GW-ERROR-CODE',
    breaks: 'the code of a bad name is a number',
    companions: [],
    create: () => ({
      answer(answer, { isGateway }) {
        if (!isGateway || answer.status !== 400 || !answer.json?.code) return;
        answer.json = { ...answer.json, code: 400 };
      },
    }),
  },
  {
    rule: 'GW-ERROR-MESSAGE',
    breaks: 'the error of a missing service has no message',
    companions: [],
    create: () => ({
      answer(answer, { isGateway }) {
        if (!isGateway || answer.json?.code !== 'SERVICE_NOT_FOUND') return;
        answer.json = { ...answer.json, message: undefined };
      },
    }),
  },
  {
    rule: 'GW-ERROR-REQUEST-ID',
    breaks: 'the error of a missing service has no requestId on POST',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || answer.json?.code !== 'SERVICE_NOT_FOUND') return;
        answer.json = { ...answer.json, requestId: undefined };
      },
    }),
  },
  {
    rule: 'GW-ERROR-FORBIDDEN',
    breaks: 'a forbidden service has another code on POST',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || answer.json?.code !== 'SERVICE_FORBIDDEN') return;
        answer.json = { ...answer.json, code: 'FORBIDDEN' };
      },
    }),
  },
  {
    rule: 'GW-ERROR-NOT-FOUND',
    breaks: 'a missing service is answered with 410 on POST',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        const isMissing = answer.json?.code === 'SERVICE_NOT_FOUND';
        if (isGateway && method === 'POST' && answer.status === 404 && isMissing)
          answer.status = 410;
      },
    }),
  },
];
