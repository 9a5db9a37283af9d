import { defineMutant } from '../mutant.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stCopyDstPath = defineMutant({
  rule: 'ST-COPY-DST-PATH',
  breaks: 'an item without dstPath fails alone, and not the call',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      leaveOutItems(request, (item) =>
        'srcPath' in Object(item) !== 'dstPath' in Object(item) && !('dstPath' in item)
          ? { code: 'INVALID_PARAM', message: 'dstPath is missing.' }
          : undefined,
      );
    },
    answer: putEntries,
  }),
});
