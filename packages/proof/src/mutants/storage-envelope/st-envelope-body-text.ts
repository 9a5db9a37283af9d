import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeBodyText = defineMutant({
  rule: 'ST-ENVELOPE-BODY',
  breaks: 'the body of a delete answer is JSON in a string',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchDelete') return;
      if (answer.status !== 200) return;
      changeJson(answer, (json) => {
        json.body = JSON.stringify(json.body);
      });
    },
  }),
});
