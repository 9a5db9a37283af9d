import { defineMutant } from '../mutant.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stLinksMaxAge = defineMutant({
  rule: 'ST-LINKS-MAX-AGE',
  breaks: 'a second item with maxAge gets no link',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchGetTempUrls') return;
      leaveOutItems(request, (item, index) =>
        index > 0 && item?.fileID && item.maxAge !== undefined
          ? { fileID: item.fileID, code: 'INVALID_PARAM', tempFileURL: '' }
          : undefined,
      );
    },
    answer: putEntries,
  }),
});
