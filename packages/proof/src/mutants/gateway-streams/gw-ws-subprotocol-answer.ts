import { defineMutant } from '../mutant.ts';

export const gwWsSubprotocolAnswer = defineMutant({
  rule: 'GW-WS-SUBPROTOCOL',
  breaks: 'the subprotocol that the service picks does not reach the caller',
  companions: [],
  create: () => ({
    upgraded({ headers }, request) {
      const offered = request.headers.get('Sec-WebSocket-Protocol') ?? '';
      if (offered.includes(',')) headers.remove('Sec-WebSocket-Protocol');
    },
  }),
});
