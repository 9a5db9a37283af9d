import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwPostText = defineMutant({
  rule: 'GW-POST-TEXT',
  breaks: 'a plain text that is JSON gets the content type of JSON',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || mediaTypeOf(answer) !== 'text/plain') return;
      if (answer.json?.not) answer.headers.set('Content-Type', 'application/json');
    },
  }),
});
