import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwC2 = defineMutant({
  rule: 'GW-C2',
  breaks: 'sounds carry no Content-Disposition on POST',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || !mediaTypeOf(answer).startsWith('audio/')) return;
      answer.headers.remove('Content-Disposition');
    },
  }),
});
