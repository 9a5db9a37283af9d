import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stLinksCall = defineMutant({
  rule: 'ST-LINKS-CALL',
  breaks: 'a link to a file without an extension has no host',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) {
          const isPlain = /\/[^./]+$/.test(entry.fileID) && entry.code === 'SUCCESS';
          if (isPlain) entry.tempFileURL = new URL(entry.tempFileURL).pathname;
        }
      });
    },
  }),
});
