import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stLinksUrl = defineMutant({
  rule: 'ST-LINKS-URL',
  breaks: 'the entry of a missing file has no tempFileURL',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) if (entry.code !== 'SUCCESS') delete entry.tempFileURL;
      });
    },
  }),
});
