import { defineMutant } from '../mutant.ts';

export const gwQueryRawSocket = defineMutant({
  rule: 'GW-QUERY-RAW',
  breaks: 'the query of a WebSocket handshake is encoded anew',
  companions: [],
  create: () => ({
    upgrade(request) {
      request.target = request.target.replaceAll('%2f', '%2F');
    },
  }),
});
