import { defineMutant } from '../mutant.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stDeleteCall = defineMutant({
  rule: 'ST-DELETE-CALL',
  breaks: 'the third file of a batch is not deleted, and answered with SUCCESS',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchDelete' || request.json?.fileList?.length !== 3) return;
      if (/missing|no file/.test(request.json.fileList.join())) return;
      leaveOutItems(request, (fileID, index) =>
        index === 2 ? { fileID, code: 'SUCCESS' } : undefined,
      );
    },
    answer: putEntries,
  }),
});
