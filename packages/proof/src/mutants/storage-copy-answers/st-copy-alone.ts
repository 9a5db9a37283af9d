import { defineMutant } from '../mutant.ts';
import { fileIdOf, readFile } from '../support/files.ts';
import { itemsOf } from '../support/items-of.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stCopyAlone = defineMutant({
  rule: 'ST-COPY-ALONE',
  breaks: 'a missing source in the first place refuses the call',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (request.operation !== 'batchCopyFile') return;
      const [first, ...rest] = await Promise.all(
        itemsOf(request).map(
          async ({ srcPath = 'none' }) => await readFile(context, await fileIdOf(context, srcPath)),
        ),
      );
      const isMissing = first === undefined && rest.some((bytes) => bytes !== undefined);
      return isMissing ? toStorageRefusal(404, 'STORAGE_FILE_NONEXIST') : undefined;
    },
  }),
});
