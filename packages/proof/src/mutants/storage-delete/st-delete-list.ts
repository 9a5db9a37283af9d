import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stDeleteList = defineMutant({
  rule: 'ST-DELETE-LIST',
  breaks: 'a missing file has no entry',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchDelete') return;
      changeEntries(answer, (entries) => entries.filter(({ code }) => code === 'SUCCESS'));
    },
  }),
});
