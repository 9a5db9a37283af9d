import { defineMutant } from '../mutant.ts';

export const gwC2Status = defineMutant({
  rule: 'GW-C2',
  breaks: 'what is not answered with 200 carries no Content-Disposition on POST',
  companions: [],
  create: () => ({
    answer({ status, headers }, { isGateway, method }) {
      if (isGateway && method === 'POST' && status !== 200) headers.remove('Content-Disposition');
    },
  }),
});
