import { defineMutant } from '../mutant.ts';

export const gwWsSubprotocol = defineMutant({
  rule: 'GW-WS-SUBPROTOCOL',
  breaks: 'only the first subprotocol that is offered reaches the service',
  companions: [],
  create: () => ({
    upgrade({ headers }) {
      const [first, ...rest] = headers.get('Sec-WebSocket-Protocol')?.split(/, */) ?? [];
      if (first && rest.length > 0) headers.set('Sec-WebSocket-Protocol', first);
    },
  }),
});
