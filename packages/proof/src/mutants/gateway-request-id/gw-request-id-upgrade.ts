import { defineMutant } from '../mutant.ts';

export const gwRequestIdUpgrade = defineMutant({
  rule: 'GW-REQUEST-ID-UPGRADE',
  breaks: 'a 101 carries no X-Request-Id',
  companions: [],
  create: () => ({
    upgraded({ headers }) {
      headers.remove('X-Request-Id');
    },
  }),
});
