import { defineMutant } from '../mutant.ts';
import { fileIdOf, readFile, storeFile } from '../support/files.ts';
import { itemsOf } from '../support/items-of.ts';

export const stCopyMissingEmpty = defineMutant({
  rule: 'ST-COPY-MISSING',
  breaks: 'the copy of a missing file fails, and leaves an empty destination',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (request.operation !== 'batchCopyFile') return;
      for (const { srcPath, dstPath, overwrite } of itemsOf(request)) {
        if (!srcPath || !dstPath || overwrite !== undefined) continue;
        if (await readFile(context, await fileIdOf(context, srcPath))) continue;
        if (!(await readFile(context, await fileIdOf(context, dstPath))))
          await storeFile(context, dstPath);
      }
    },
  }),
});
