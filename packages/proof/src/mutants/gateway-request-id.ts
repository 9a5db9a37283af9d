import { randomUUID } from 'node:crypto';
import type { Mutant } from './mutant.ts';
import { listOrdered } from './support/answers.ts';

export const gatewayRequestId: readonly Mutant[] = [
  {
    rule: 'GW-REQUEST-ID',
    breaks: 'a redirect of the service carries no X-Request-Id',
    companions: [],
    create: () => ({
      answer({ status, headers }, { isGateway }) {
        if (isGateway && status === 302) headers.remove('X-Request-Id');
      },
    }),
  },
  {
    rule: 'GW-REQUEST-ID',
    breaks: 'the error of a bad name carries no X-Request-Id',
    companions: [],
    create: () => ({
      answer({ status, headers }, { isGateway }) {
        if (isGateway && status === 400) headers.remove('X-Request-Id');
      },
    }),
  },
  {
    rule: 'GW-REQUEST-ID-EQUAL',
    breaks: 'the requestId of an error on POST is another one',
    companions: [],
    create: () => ({
      answer(answer, { isGateway, method }) {
        if (!isGateway || method !== 'POST' || answer.json?.code !== 'SERVICE_NOT_FOUND') return;
        answer.json = { ...answer.json, requestId: randomUUID() };
      },
    }),
  },
  {
    rule: 'GW-REQUEST-ID-NEW',
    breaks: 'calls that arrive in the same second share an identifier',
    companions: [],
    create: () => ({
      answer({ status, headers }, { isGateway, method }) {
        if (!isGateway || method !== 'GET' || status !== 200) return;
        headers.set('X-Request-Id', String(Math.floor(Date.now() / 1000)));
      },
    }),
  },
  {
    rule: 'GW-REQUEST-ID-NEW',
    breaks: 'the X-Request-Id of the caller is taken over',
    companions: [],
    create: () => ({
      answer({ status, headers }, request) {
        const own = request.headers.get('X-Request-Id');
        if (request.isGateway && status === 200 && own) headers.set('X-Request-Id', own);
      },
    }),
  },
  {
    rule: 'GW-REQUEST-ID-OWN',
    breaks: 'the X-Request-Id of the service stands beside that of the gateway',
    companions: [],
    create: () => ({
      answer({ headers }, request) {
        if (!request.isGateway || request.method !== 'POST') return;
        for (const own of listOrdered(request, 'X-Request-Id')) headers.add('X-Request-Id', own);
      },
    }),
  },
  {
    rule: 'GW-REQUEST-ID-OWN',
    breaks: 'the X-Request-Id of the service stands on a 101',
    companions: [],
    create: () => ({
      upgraded({ headers }, request) {
        const [own] = listOrdered(request, 'X-Request-Id');
        if (own) headers.set('X-Request-Id', own);
      },
    }),
  },
  {
    rule: 'GW-REQUEST-ID-UPGRADE',
    breaks: 'a 101 carries no X-Request-Id',
    companions: [],
    create: () => ({
      upgraded({ headers }) {
        headers.remove('X-Request-Id');
      },
    }),
  },
  {
    rule: 'GW-REQUEST-ID-OPTIONS',
    breaks: 'a preflight is answered without X-Request-Id',
    companions: [],
    create: () => ({
      answer({ headers }, request) {
        if (request.method === 'OPTIONS' && request.headers.get('Access-Control-Request-Method')) {
          headers.remove('X-Request-Id');
        }
      },
    }),
  },
];
