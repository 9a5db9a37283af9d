import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeSuccess = defineMutant({
  rule: 'ST-ENVELOPE-SUCCESS',
  breaks: 'the statusCode of links is 0, as if it were the code of a process',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      if (answer.status !== 200) return;
      changeJson(answer, (json) => {
        json.statusCode = 0;
      });
    },
  }),
});
