import { defineMutant } from '../mutant.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const gwWsUpgrade = defineMutant({
  rule: 'GW-WS-UPGRADE',
  breaks: 'a handshake with an Origin is refused',
  companions: [],
  create: () => ({
    upgrade({ headers }) {
      return headers.get('Origin') === undefined ? undefined : toRefusal(403, 'INVALID_REQUEST');
    },
  }),
});
