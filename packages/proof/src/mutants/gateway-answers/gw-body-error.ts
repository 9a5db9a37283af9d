import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwBodyError = defineMutant({
  rule: 'GW-BODY',
  breaks: 'a page of the service with 404 is replaced by one of the gateway',
  companions: [],
  create: () => ({
    answer(answer, { isGateway }) {
      if (!isGateway || answer.status !== 404 || mediaTypeOf(answer) !== 'text/html') return;
      answer.body = Buffer.from('<h1>Not found</h1>');
    },
  }),
});
