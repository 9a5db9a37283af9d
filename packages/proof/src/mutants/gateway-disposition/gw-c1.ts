import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwC1 = defineMutant({
  rule: 'GW-C1',
  breaks: 'an answer of JSON to a GET carries no Content-Disposition',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'GET' || mediaTypeOf(answer) !== 'application/json') return;
      answer.headers.remove('Content-Disposition');
    },
  }),
});
