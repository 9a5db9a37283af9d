import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stCopyFailed = defineMutant({
  rule: 'ST-COPY-FAILED',
  breaks: 'the entry of a missing source has no message',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries)
          if (entry.code === 'STORAGE_FILE_NONEXIST') delete entry.message;
      });
    },
  }),
});
