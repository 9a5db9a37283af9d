import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stCopySucceeded = defineMutant({
  rule: 'ST-COPY-SUCCEEDED',
  breaks: 'the entry of a copy has the code SUCCESS',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) entry.code ??= 'SUCCESS';
      });
    },
  }),
});
