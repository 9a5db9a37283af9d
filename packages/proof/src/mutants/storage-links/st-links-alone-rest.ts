import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stLinksAloneRest = defineMutant({
  rule: 'ST-LINKS-ALONE',
  breaks: 'items behind a missing file get no links',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeEntries(answer, (entries) => {
        const first = entries.findIndex(({ code }) => code !== 'SUCCESS');
        const rest = first < 0 ? [] : entries.slice(first);
        for (const entry of rest) Object.assign(entry, { code: 'ABORTED', tempFileURL: '' });
      });
    },
  }),
});
