import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwC2NotTextHtml = defineMutant({
  rule: 'GW-C2-NOT-TEXT',
  breaks: 'pages count as text on POST',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || mediaTypeOf(answer) !== 'text/html') return;
      answer.headers.remove('Content-Disposition');
    },
  }),
});
