import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stCopyStatusCode = defineMutant({
  rule: 'ST-COPY-STATUS-CODE',
  breaks: 'the statusCode of a refused copy call is 200',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeJson(answer, (json) => {
        json.statusCode = 200;
      });
    },
  }),
});
