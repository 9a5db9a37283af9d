import { defineMutant } from '../mutant.ts';

export const gwErrorRequestId = defineMutant({
  rule: 'GW-ERROR-REQUEST-ID',
  breaks: 'the error of a missing service has no requestId on POST',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || answer.json?.code !== 'SERVICE_NOT_FOUND') return;
      answer.json = { ...answer.json, requestId: undefined };
    },
  }),
});
