import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeRequestIdPresent = defineMutant({
  rule: 'ST-ENVELOPE-REQUEST-ID-PRESENT',
  breaks: 'a refusal of the credentials has no requestId',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (!request.operation || answer.status !== 401) return;
      changeJson(answer, (json) => {
        delete json.body.requestId;
      });
    },
  }),
});
