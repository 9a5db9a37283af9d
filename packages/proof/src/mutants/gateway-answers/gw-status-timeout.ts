import { defineMutant } from '../mutant.ts';

export const gwStatusTimeout = defineMutant({
  rule: 'GW-STATUS',
  breaks: '504 of the service is answered as an error of the gateway, with 502',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (isGateway && method === 'GET' && answer.status === 504) answer.status = 502;
    },
  }),
});
