import { defineMutant } from '../mutant.ts';

export const gwErrorBody = defineMutant({
  rule: 'GW-ERROR-BODY',
  breaks: 'errors about credentials come as problem+json',
  companions: [],
  create: () => ({
    answer(answer, { isGateway }) {
      if (!isGateway || answer.status !== 401 || !answer.json?.code) return;
      answer.headers.set('Content-Type', 'application/problem+json');
    },
  }),
});
