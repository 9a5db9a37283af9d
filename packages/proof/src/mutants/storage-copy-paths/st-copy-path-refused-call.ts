import { defineMutant } from '../mutant.ts';
import { itemsOf } from '../support/items-of.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stCopyPathRefusedCall = defineMutant({
  rule: 'ST-COPY-PATH-REFUSED',
  breaks: 'a copy path with an emoji refuses the call',
  companions: [],
  create: () => ({
    request(request) {
      const paths = itemsOf(request)
        .map(({ dstPath }) => dstPath)
        .join();
      const isBad =
        request.operation === 'batchCopyFile' &&
        /\p{Extended_Pictographic}/u.test(paths.replace(/[*\d]/g, ''));
      return isBad ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
    },
  }),
});
