import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwC3 = defineMutant({
  rule: 'GW-C3',
  breaks: 'an event stream that answers a POST carries attachment',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || mediaTypeOf(answer) !== 'text/event-stream') return;
      answer.headers.set('Content-Disposition', 'attachment');
    },
  }),
});
