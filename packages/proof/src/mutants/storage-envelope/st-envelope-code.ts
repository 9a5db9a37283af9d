import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeCode = defineMutant({
  rule: 'ST-ENVELOPE-CODE',
  breaks: 'the code of refused credentials is a number',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (!request.operation || answer.status !== 401) return;
      changeJson(answer, (json) => {
        json.body.code = 401;
      });
    },
  }),
});
