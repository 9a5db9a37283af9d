import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stDeleteFileId = defineMutant({
  rule: 'ST-DELETE-FILE-ID',
  breaks: 'the fileID of an entry is the name of the file alone',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchDelete') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) entry.fileID = entry.fileID.split('/').at(-1);
      });
    },
  }),
});
