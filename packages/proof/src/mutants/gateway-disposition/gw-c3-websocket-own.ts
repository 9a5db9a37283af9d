import { defineMutant } from '../mutant.ts';
import { listOrdered } from '../support/list-ordered.ts';

export const gwC3WebsocketOwn = defineMutant({
  rule: 'GW-C3-WEBSOCKET',
  breaks: 'a 101 carries the Content-Disposition of the service',
  companions: [],
  create: () => ({
    upgraded({ headers }, request) {
      const [own] = listOrdered(request, 'Content-Disposition');
      if (own) headers.set('Content-Disposition', own);
    },
  }),
});
