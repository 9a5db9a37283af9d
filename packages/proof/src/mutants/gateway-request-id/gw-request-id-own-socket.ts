import { defineMutant } from '../mutant.ts';
import { listOrdered } from '../support/list-ordered.ts';

export const gwRequestIdOwnSocket = defineMutant({
  rule: 'GW-REQUEST-ID-OWN',
  breaks: 'the X-Request-Id of the service stands on a 101',
  companions: [],
  create: () => ({
    upgraded({ headers }, request) {
      const [own] = listOrdered(request, 'X-Request-Id');
      if (own) headers.set('X-Request-Id', own);
    },
  }),
});
