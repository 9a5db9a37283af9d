import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stCopyFileId = defineMutant({
  rule: 'ST-COPY-FILE-ID',
  breaks: 'the fileID of an entry names no file',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) if (entry.fileID) entry.fileID += '.copied';
      });
    },
  }),
});
