import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stLinksCodeMissing = defineMutant({
  rule: 'ST-LINKS-CODE',
  breaks: 'the entry of a missing file has no code',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) if (entry.code !== 'SUCCESS') delete entry.code;
      });
    },
  }),
});
