import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeStatusCodeAbsent = defineMutant({
  rule: 'ST-ENVELOPE-STATUS-CODE',
  breaks: 'the answer with links has no statusCode',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      if (answer.status !== 200) return;
      changeJson(answer, (json) => {
        delete json.statusCode;
      });
    },
  }),
});
