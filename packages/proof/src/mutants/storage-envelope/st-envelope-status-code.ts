import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeStatusCode = defineMutant({
  rule: 'ST-ENVELOPE-STATUS-CODE',
  breaks: 'the statusCode of a refused delete call is a string',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchDelete') return;
      if (answer.status < 400) return;
      changeJson(answer, (json) => {
        json.statusCode = String(json.statusCode);
      });
    },
  }),
});
