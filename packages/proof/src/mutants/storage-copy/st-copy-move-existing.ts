import { defineMutant } from '../mutant.ts';
import { fileIdOf, readFile } from '../support/files.ts';
import { changeItems, itemsOf } from '../support/items-of.ts';

export const stCopyMoveExisting = defineMutant({
  rule: 'ST-COPY-MOVE',
  breaks: 'a move onto an existing file leaves its source',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (request.operation !== 'batchCopyFile') return;
      const existing = new Set<string>();
      for (const { removeOriginal, dstPath } of itemsOf(request)) {
        if (!removeOriginal || !dstPath) continue;
        const isThere = await readFile(context, await fileIdOf(context, dstPath));
        if (isThere) existing.add(dstPath);
      }
      changeItems(request, (item) => {
        if (existing.has(item.dstPath)) item.removeOriginal = false;
      });
    },
  }),
});
