import { defineMutant } from '../mutant.ts';
import { itemsOf } from '../support/items-of.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stRequestFormGenerated = defineMutant({
  rule: 'ST-REQUEST-FORM',
  breaks: 'copies that are to overwrite and to keep their source are refused',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return undefined;
      const isRefused = itemsOf(request).some(
        ({ overwrite, removeOriginal }) => overwrite === true && removeOriginal === false,
      );
      return isRefused ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
    },
  }),
});
