import { defineMutant } from '../mutant.ts';

export const gwErrorNotFound = defineMutant({
  rule: 'GW-ERROR-NOT-FOUND',
  breaks: 'a missing service is answered with 410 on POST',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      const isMissing = answer.json?.code === 'SERVICE_NOT_FOUND';
      if (isGateway && method === 'POST' && answer.status === 404 && isMissing) answer.status = 410;
    },
  }),
});
