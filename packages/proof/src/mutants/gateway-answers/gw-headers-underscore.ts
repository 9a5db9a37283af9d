import { defineMutant } from '../mutant.ts';

export const gwHeadersUnderscore = defineMutant({
  rule: 'GW-HEADERS',
  breaks: 'headers with an underscore are left out of an answer',
  companions: [],
  create: () => ({
    answer({ headers }, { isGateway }) {
      if (isGateway) headers.list = headers.list.filter(([name]) => !name.includes('_'));
    },
  }),
});
