import { defineMutant } from '../mutant.ts';
import { listOrdered } from '../support/list-ordered.ts';

export const gwHopByHopProxy = defineMutant({
  rule: 'GW-HOP-BY-HOP',
  breaks: 'Proxy-Connection of an error of the service reaches the caller',
  companions: [],
  create: () => ({
    answer({ status, headers }, request) {
      if (!request.isGateway || status !== 404) return;
      const [value] = listOrdered(request, 'Proxy-Connection');
      if (value) headers.add('Proxy-Connection', value);
    },
  }),
});
