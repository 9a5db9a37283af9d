import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';
import { seesItems } from '../support/sees-items.ts';

export const stCopyFileIdPresent = defineMutant({
  rule: 'ST-COPY-FILE-ID-PRESENT',
  breaks: 'the entry of a move has no fileID',
  companions: [],
  create: () => ({
    ...seesItems,
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeEntries(answer, (entries) => {
        for (const [index, entry] of entries.entries()) {
          if (request.json.fileList[index].removeOriginal) delete entry.fileID;
        }
      });
    },
  }),
});
