import { defineMutant } from '../mutant.ts';

export const gwRequestIdNew = defineMutant({
  rule: 'GW-REQUEST-ID-NEW',
  breaks: 'calls that arrive in the same second share an identifier',
  companions: [],
  create: () => ({
    answer({ status, headers }, { isGateway, method }) {
      if (!isGateway || method !== 'GET' || status !== 200) return;
      headers.set('X-Request-Id', String(Math.floor(Date.now() / 1000)));
    },
  }),
});
