import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeMessage = defineMutant({
  rule: 'ST-ENVELOPE-MESSAGE',
  breaks: 'the message of refused credentials is an object of languages',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (!request.operation || answer.status !== 401) return;
      changeJson(answer, (json) => {
        json.body.message = { en: json.body.message };
      });
    },
  }),
});
