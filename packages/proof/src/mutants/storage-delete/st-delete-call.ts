import { defineMutant } from '../mutant.ts';
import { readFile } from '../support/files.ts';
import { itemsOf } from '../support/items-of.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stDeleteCall = defineMutant({
  rule: 'ST-DELETE-CALL',
  breaks: 'the third of three files is not deleted, and answered with SUCCESS',
  companions: [],
  create: (context) => ({
    async request(request) {
      const items = request.operation === 'batchDelete' ? itemsOf(request) : [];
      const files = await Promise.all(items.map((id) => readFile(context, id)));
      if (files.length !== 3 || files.includes(undefined)) return;
      leaveOutItems(request, (fileID, index) =>
        index === 2 ? { fileID, code: 'SUCCESS' } : undefined,
      );
    },
    answer: putEntries,
  }),
});
