import { defineMutant } from '../mutant.ts';
import { listOrdered } from '../support/list-ordered.ts';

export const gwDispositionInline = defineMutant({
  rule: 'GW-DISPOSITION-INLINE',
  breaks: 'inline of the service stays beside attachment on POST',
  companions: [],
  create: () => ({
    answer({ headers }, request) {
      if (!request.isGateway || request.method !== 'POST') return;
      const own = listOrdered(request, 'Content-Disposition').find((value) =>
        /^inline/i.test(value),
      );
      if (own && headers.get('Content-Disposition')) headers.add('Content-Disposition', own);
    },
  }),
});
