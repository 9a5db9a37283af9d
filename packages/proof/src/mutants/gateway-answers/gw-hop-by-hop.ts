import { defineMutant } from '../mutant.ts';
import { listOrdered } from '../support/list-ordered.ts';

export const gwHopByHop = defineMutant({
  rule: 'GW-HOP-BY-HOP',
  breaks: 'headers that the Connection of the service names reach the caller',
  companions: [],
  create: () => ({
    answer({ headers }, request) {
      if (!request.isGateway) return;
      const [value] = listOrdered(request, 'X-Conformance-One');
      if (value) headers.add('X-Conformance-One', value);
    },
  }),
});
