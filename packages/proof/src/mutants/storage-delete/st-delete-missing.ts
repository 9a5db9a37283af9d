import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stDeleteMissing = defineMutant({
  rule: 'ST-DELETE-MISSING',
  breaks: 'a file that does not exist is deleted with SUCCESS',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchDelete') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) entry.code = 'SUCCESS';
      });
    },
  }),
});
