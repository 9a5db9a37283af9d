import { defineMutant } from '../mutant.ts';
import { fileIdOf, readFile } from '../support/files.ts';
import { itemsOf } from '../support/items-of.ts';
import { leaveOutItems, putEntries } from '../support/leave-out-items.ts';

export const stCopyCall = defineMutant({
  rule: 'ST-COPY-CALL',
  breaks: 'an empty file is not copied, and its entry tells of no failure',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (request.operation !== 'batchCopyFile') return;
      const empty = new Set<string>();
      for (const { srcPath } of itemsOf(request)) {
        const bytes = srcPath && (await readFile(context, await fileIdOf(context, srcPath)));
        if (bytes?.length === 0) empty.add(srcPath);
      }
      leaveOutItems(request, (item) => (empty.has(item?.srcPath) ? {} : undefined));
    },
    answer: putEntries,
  }),
});
