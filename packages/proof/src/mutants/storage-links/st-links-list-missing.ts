import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stLinksListMissing = defineMutant({
  rule: 'ST-LINKS-LIST',
  breaks: 'a missing file has no entry',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeEntries(answer, (entries) => entries.filter(({ code }) => code === 'SUCCESS'));
    },
  }),
});
