import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stLinksCode = defineMutant({
  rule: 'ST-LINKS-CODE',
  breaks: 'the code of a file without an extension is OK',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) {
          if (/\/[^./]+$/.test(entry.fileID) && entry.code === 'SUCCESS') entry.code = 'OK';
        }
      });
    },
  }),
});
