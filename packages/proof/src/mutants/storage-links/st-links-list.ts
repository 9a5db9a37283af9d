import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stLinksList = defineMutant({
  rule: 'ST-LINKS-LIST',
  breaks: 'a file that is asked for twice has one entry',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeEntries(answer, (entries) => {
        const byId = new Map(entries.map((entry) => [entry.fileID, entry]));
        return [...byId.values()];
      });
    },
  }),
});
