import { defineMutant } from '../mutant.ts';
import { deleteFile, fileIdOf } from '../support/files.ts';
import { itemsOf } from '../support/items-of.ts';

export const upKeptCopy = defineMutant({
  rule: 'UP-KEPT',
  breaks: 'a copy goes when its source is deleted',
  companions: [],
  create: (context) => {
    const copies = new Map<string, string>();
    return {
      async request(request) {
        if (request.operation === 'batchCopyFile') {
          for (const { srcPath, dstPath, removeOriginal } of itemsOf(request)) {
            if (srcPath && dstPath && !removeOriginal)
              copies.set(await fileIdOf(context, srcPath), dstPath);
          }
        }
        if (request.operation !== 'batchDelete') return;
        for (const id of itemsOf(request)) {
          const copy = copies.get(String(id));
          if (copy !== undefined) await deleteFile(context, copy);
        }
      },
    };
  },
});
