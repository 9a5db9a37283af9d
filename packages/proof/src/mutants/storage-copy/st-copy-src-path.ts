import { defineMutant } from '../mutant.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stCopySrcPath = defineMutant({
  rule: 'ST-COPY-SRC-PATH',
  breaks: 'an item without srcPath fails alone, and not the call',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      leaveOutItems(request, (item) =>
        'srcPath' in Object(item) !== 'dstPath' in Object(item) && !('srcPath' in item)
          ? { code: 'INVALID_PARAM', message: 'srcPath is missing.' }
          : undefined,
      );
    },
    answer: putEntries,
  }),
});
