import { defineMutant } from '../mutant.ts';

export const gwRequestIdOptions = defineMutant({
  rule: 'GW-REQUEST-ID-OPTIONS',
  breaks: 'a preflight is answered without X-Request-Id',
  companions: [],
  create: () => ({
    answer({ headers }, request) {
      if (request.method === 'OPTIONS' && request.headers.get('Access-Control-Request-Method')) {
        headers.remove('X-Request-Id');
      }
    },
  }),
});
