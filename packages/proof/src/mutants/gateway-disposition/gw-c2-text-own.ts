import { defineMutant } from '../mutant.ts';
import { listOrdered } from '../support/list-ordered.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwC2TextOwn = defineMutant({
  rule: 'GW-C2-TEXT',
  breaks: 'a Content-Disposition of the service stays on a text type',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.method !== 'POST' || mediaTypeOf(answer) !== 'text/plain') return;
      const [own] = listOrdered(request, 'Content-Disposition');
      if (own) answer.headers.set('Content-Disposition', own);
    },
  }),
});
