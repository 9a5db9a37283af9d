import { defineMutant } from '../mutant.ts';
import { listOrdered } from '../support/list-ordered.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwDispositionInlinePage = defineMutant({
  rule: 'GW-DISPOSITION-INLINE',
  breaks: 'inline of the service stands in place of attachment on pages',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.method !== 'GET' || mediaTypeOf(answer) !== 'text/html') return;
      const [own = ''] = listOrdered(request, 'Content-Disposition');
      if (/^inline/i.test(own)) answer.headers.set('Content-Disposition', own);
    },
  }),
});
