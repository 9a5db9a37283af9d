import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';
import { itemsOf } from '../support/items-of.ts';

export const stLinksMissing = defineMutant({
  rule: 'ST-LINKS-MISSING',
  breaks: 'a file that was deleted has the code SUCCESS, and a link that leads nowhere',
  companions: [],
  create: ({ publicUrl }) => {
    const deleted = new Set<string>();
    return {
      request(request) {
        if (request.operation !== 'batchDelete') return;
        for (const id of itemsOf(request)) deleted.add(id);
      },
      answer(answer, { operation }) {
        if (operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => {
          for (const entry of entries) {
            if (entry.code === 'SUCCESS' || !deleted.has(entry.fileID)) continue;
            entry.code = 'SUCCESS';
            entry.tempFileURL = `${publicUrl}/files/nowhere`;
          }
        });
      },
    };
  },
});
