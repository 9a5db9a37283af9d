import { defineMutant } from '../mutant.ts';

export const gwHeadersNotModified = defineMutant({
  rule: 'GW-HEADERS',
  breaks: 'a 304 loses its ETag',
  companions: [],
  create: () => ({
    answer({ status, headers }, { isGateway }) {
      if (isGateway && status === 304) headers.remove('ETag');
    },
  }),
});
