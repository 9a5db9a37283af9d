import { defineMutant } from '../mutant.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const gwWsUpgrade = defineMutant({
  rule: 'GW-WS-UPGRADE',
  breaks: 'a handshake with a cookie is refused',
  companions: [],
  create: () => ({
    upgrade({ headers }) {
      return headers.get('Cookie') === undefined ? undefined : toRefusal(403, 'INVALID_REQUEST');
    },
  }),
});
