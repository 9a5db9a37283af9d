import { defineMutant } from '../mutant.ts';

export const gwC1Error = defineMutant({
  rule: 'GW-C1',
  breaks: 'a failure of the service carries no Content-Disposition on GET',
  companions: [],
  create: () => ({
    answer({ status, headers }, { isGateway, method }) {
      if (isGateway && method === 'GET' && status >= 500) headers.remove('Content-Disposition');
    },
  }),
});
