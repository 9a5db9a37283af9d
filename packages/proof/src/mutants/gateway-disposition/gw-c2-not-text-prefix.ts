import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwC2NotTextPrefix = defineMutant({
  rule: 'GW-C2-NOT-TEXT',
  breaks: 'a type counts as text where it begins like a text type',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (
        !isGateway ||
        method !== 'POST' ||
        !/^(application\/json|text\/plain)./.test(mediaTypeOf(answer))
      )
        return;
      answer.headers.remove('Content-Disposition');
    },
  }),
});
