import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stCopySucceededMessage = defineMutant({
  rule: 'ST-COPY-SUCCEEDED',
  breaks: 'the entry of a copy has an empty message',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) entry.message ??= '';
      });
    },
  }),
});
