import { defineMutant } from '../mutant.ts';
import { readFile } from '../support/files.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stDeleteAloneRest = defineMutant({
  rule: 'ST-DELETE-ALONE',
  breaks: 'files behind a missing one are not deleted',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (request.operation !== 'batchDelete' || !Array.isArray(request.json?.fileList)) return;
      const { fileList } = request.json;
      const files = await Promise.all(fileList.map((id: unknown) => readFile(context, String(id))));
      const first = files.indexOf(undefined);
      if (first < 0) return;
      leaveOutItems(request, (fileID, index) =>
        index > first ? { fileID, code: 'ABORTED' } : undefined,
      );
    },
    answer: putEntries,
  }),
});
