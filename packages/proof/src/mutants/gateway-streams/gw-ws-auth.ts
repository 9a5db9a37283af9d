import { defineMutant } from '../mutant.ts';

export const gwWsAuth = defineMutant({
  rule: 'GW-WS-AUTH',
  breaks: 'a handshake without credentials is let in',
  companions: [],
  create: ({ authorization }) => ({
    upgrade({ headers }) {
      if (headers.get('Authorization') === undefined) headers.set('Authorization', authorization);
    },
  }),
});
