import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwBodyLong = defineMutant({
  rule: 'GW-BODY',
  breaks: 'what is beyond 65,536 bytes of an image is lost',
  companions: [],
  create: () => ({
    answer(answer, { isGateway }) {
      if (!isGateway || mediaTypeOf(answer) !== 'image/png') return;
      answer.body = answer.body.subarray(0, 65_536);
    },
  }),
});
