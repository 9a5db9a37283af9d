import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stDeleteCode = defineMutant({
  rule: 'ST-DELETE-CODE',
  breaks: 'the code of a file that was deleted with others is DELETED',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchDelete') return;
      changeEntries(answer, (entries) => {
        if (entries.length === 1) return;
        for (const entry of entries) if (entry.code === 'SUCCESS') entry.code = 'DELETED';
      });
    },
  }),
});
