import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stLinksFileId = defineMutant({
  rule: 'ST-LINKS-FILE-ID',
  breaks: 'the entry of a missing file has an empty fileID',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) if (entry.code !== 'SUCCESS') entry.fileID = '';
      });
    },
  }),
});
