import { defineMutant } from '../mutant.ts';
import { listOrdered } from '../support/list-ordered.ts';

export const gwRequestIdOwn = defineMutant({
  rule: 'GW-REQUEST-ID-OWN',
  breaks: 'the X-Request-Id of the service stands beside that of the gateway',
  companions: [],
  create: () => ({
    answer({ headers }, request) {
      if (!request.isGateway || request.method !== 'POST') return;
      for (const own of listOrdered(request, 'X-Request-Id')) headers.add('X-Request-Id', own);
    },
  }),
});
