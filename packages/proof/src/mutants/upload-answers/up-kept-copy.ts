import { defineMutant } from '../mutant.ts';
import { deleteFile, fileIdOf } from '../support/files.ts';

export const upKeptCopy = defineMutant({
  rule: 'UP-KEPT',
  breaks: 'a copy goes when its source is deleted',
  companions: [],
  create: (context) => {
    const copies = new Map<string, string>();
    return {
      async request({ operation, json }) {
        if (operation === 'batchCopyFile') {
          for (const { srcPath, dstPath, removeOriginal } of json?.fileList ?? []) {
            if (!removeOriginal) copies.set(await fileIdOf(context, srcPath), dstPath);
          }
        }
        if (operation !== 'batchDelete' || !Array.isArray(json?.fileList)) return;
        for (const id of json.fileList) {
          const copy = copies.get(id);
          if (copy !== undefined) await deleteFile(context, copy);
        }
      },
    };
  },
});
