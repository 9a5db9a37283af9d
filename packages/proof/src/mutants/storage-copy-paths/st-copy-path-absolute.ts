import { defineMutant } from '../mutant.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stCopyPathAbsolute = defineMutant({
  rule: 'ST-COPY-PATH-ABSOLUTE',
  breaks: 'a copy path with a leading / is refused, and one without it taken',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      leaveOutItems(request, (item) =>
        item?.srcPath && /^\//.test(item?.dstPath ?? '')
          ? { code: 'INVALID_PARAM', message: 'dstPath has a bad character.' }
          : undefined,
      );
    },
    answer: putEntries,
  }),
});
