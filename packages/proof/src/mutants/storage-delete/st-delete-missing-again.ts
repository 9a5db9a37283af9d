import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stDeleteMissingAgain = defineMutant({
  rule: 'ST-DELETE-MISSING',
  breaks: 'a file can be deleted a second time',
  companions: [],
  create: () => {
    const deleted = new Set<string>();
    return {
      answer(answer, request) {
        if (request.operation !== 'batchDelete') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) {
            if (deleted.has(entry.fileID)) entry.code = 'SUCCESS';
            if (entry.code === 'SUCCESS') deleted.add(entry.fileID);
          }
        });
      },
    };
  },
});
