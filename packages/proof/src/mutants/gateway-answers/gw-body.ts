import { defineMutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/media-type-of.ts';

export const gwBody = defineMutant({
  rule: 'GW-BODY',
  breaks: 'JSON of the service is parsed and written anew',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || answer.status !== 200) return;
      const { json } = answer;
      if (mediaTypeOf(answer) === 'application/json' && json) answer.json = json;
    },
  }),
});
