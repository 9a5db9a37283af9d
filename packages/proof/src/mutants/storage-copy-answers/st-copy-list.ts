import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stCopyList = defineMutant({
  rule: 'ST-COPY-LIST',
  breaks: 'an item that failed has no entry',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeEntries(answer, (entries) => entries.filter(({ code }) => code === undefined));
    },
  }),
});
