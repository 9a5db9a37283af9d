import { defineMutant } from '../mutant.ts';

export const gwStatusRedirect = defineMutant({
  rule: 'GW-STATUS',
  breaks: '308 to a POST becomes 302',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (isGateway && method === 'POST' && answer.status === 308) answer.status = 302;
    },
  }),
});
