import { defineMutant } from '../mutant.ts';

export const gwHeadersSocket = defineMutant({
  rule: 'GW-HEADERS',
  breaks: 'the 101 of a WebSocket loses the cookies of the service',
  companions: [],
  create: () => ({
    upgraded({ headers }) {
      headers.remove('Set-Cookie');
    },
  }),
});
