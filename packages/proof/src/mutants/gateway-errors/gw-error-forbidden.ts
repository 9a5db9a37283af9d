import { defineMutant } from '../mutant.ts';

export const gwErrorForbidden = defineMutant({
  rule: 'GW-ERROR-FORBIDDEN',
  breaks: 'a forbidden service has another code on POST',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || answer.json?.code !== 'SERVICE_FORBIDDEN') return;
      answer.json = { ...answer.json, code: 'FORBIDDEN' };
    },
  }),
});
