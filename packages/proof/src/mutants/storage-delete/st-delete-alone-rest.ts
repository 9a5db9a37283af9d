import { defineMutant } from '../mutant.ts';
import { readFile } from '../support/files.ts';
import { itemsOf } from '../support/items-of.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stDeleteAloneRest = defineMutant({
  rule: 'ST-DELETE-ALONE',
  breaks: 'files behind a missing one are not deleted',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (request.operation !== 'batchDelete') return;
      const files = await Promise.all(itemsOf(request).map((id) => readFile(context, id)));
      const first = files.indexOf(undefined);
      if (first < 0) return;
      leaveOutItems(request, (fileID, index) =>
        index > first ? { fileID, code: 'ABORTED' } : undefined,
      );
    },
    answer: putEntries,
  }),
});
