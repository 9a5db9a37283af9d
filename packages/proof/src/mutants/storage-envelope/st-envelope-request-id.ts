import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeRequestId = defineMutant({
  rule: 'ST-ENVELOPE-REQUEST-ID',
  breaks: 'the requestId of a delete answer is a number',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchDelete') return;
      changeJson(answer, (json) => {
        json.body.requestId = 20_260_101;
      });
    },
  }),
});
