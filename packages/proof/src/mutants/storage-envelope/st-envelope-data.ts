import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeData = defineMutant({
  rule: 'ST-ENVELOPE-DATA',
  breaks: 'the data of a delete answer is the list itself',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchDelete') return;
      if (answer.status !== 200) return;
      changeJson(answer, (json) => {
        json.body.data = json.body.data.fileList;
      });
    },
  }),
});
