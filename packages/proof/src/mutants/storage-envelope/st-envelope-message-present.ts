import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const stEnvelopeMessagePresent = defineMutant({
  rule: 'ST-ENVELOPE-MESSAGE-PRESENT',
  breaks: 'a refused copy call has no message',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      if (answer.status < 400) return;
      changeJson(answer, (json) => {
        delete json.body.message;
      });
    },
  }),
});
