import { defineMutant } from '../mutant.ts';
import { itemsOf } from '../support/items-of.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stCopyAloneRest = defineMutant({
  rule: 'ST-COPY-ALONE',
  breaks: 'items behind an existing destination are not copied',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      const first = itemsOf(request).findIndex(({ overwrite }) => overwrite === false);
      leaveOutItems(request, (_, index) =>
        first >= 0 && index > first ? { code: 'ABORTED', message: 'aborted' } : undefined,
      );
    },
    answer: putEntries,
  }),
});
