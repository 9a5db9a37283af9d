import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stCopyFileIdNumber = defineMutant({
  rule: 'ST-COPY-FILE-ID',
  breaks: 'the fileID of a failed entry is 0',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) entry.fileID ??= 0;
      });
    },
  }),
});
