import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stCopyMissing = defineMutant({
  rule: 'ST-COPY-MISSING',
  breaks: 'the copy of a missing file succeeds',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeEntries(answer, (entries) =>
        entries.map((entry) => (entry.code === 'STORAGE_FILE_NONEXIST' ? {} : entry)),
      );
    },
  }),
});
