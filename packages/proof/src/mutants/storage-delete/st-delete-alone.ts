import { defineMutant } from '../mutant.ts';
import { readFile } from '../support/files.ts';
import { itemsOf } from '../support/items-of.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stDeleteAlone = defineMutant({
  rule: 'ST-DELETE-ALONE',
  breaks: 'a missing file in the first place refuses the call',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (request.operation !== 'batchDelete') return;
      const [first, ...rest] = await Promise.all(
        itemsOf(request).map((id) => readFile(context, id)),
      );
      const isMissing = first === undefined && rest.some((bytes) => bytes !== undefined);
      return isMissing ? toStorageRefusal(404, 'STORAGE_FILE_NONEXIST') : undefined;
    },
  }),
});
