import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwC2NotText = defineMutant({
  rule: 'GW-C2-NOT-TEXT',
  breaks: 'types that end in +json count as text',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || !mediaTypeOf(answer).endsWith('+json')) return;
      answer.headers.remove('Content-Disposition');
    },
  }),
});
