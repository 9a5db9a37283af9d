import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeCodeData = defineMutant({
  rule: 'ST-ENVELOPE-CODE',
  breaks: 'a refusal of the credentials has data, which is null',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (!request.operation || answer.status !== 401) return;
      changeJson(answer, (json) => {
        json.body.data = null;
      });
    },
  }),
});
