import { defineMutant } from '../mutant.ts';

export const gwForwardHeadersSocket = defineMutant({
  rule: 'GW-FORWARD-HEADERS',
  breaks: 'cookies of a WebSocket handshake do not reach the service',
  companions: [],
  create: () => ({
    upgrade({ headers }) {
      headers.remove('Cookie');
    },
  }),
});
