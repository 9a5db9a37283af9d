import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stCopyStatusCodeSuccess = defineMutant({
  rule: 'ST-COPY-STATUS-CODE',
  breaks: 'the statusCode of a copy that succeeded is 201',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      if (answer.status !== 200) return;
      changeJson(answer, (json) => {
        json.statusCode = 201;
      });
    },
  }),
});
