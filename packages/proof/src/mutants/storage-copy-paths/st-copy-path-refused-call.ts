import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stCopyPathRefusedCall = defineMutant({
  rule: 'ST-COPY-PATH-REFUSED',
  breaks: 'a copy path with an emoji refuses the call',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      const paths = json?.fileList?.map((item: { dstPath?: string }) => item?.dstPath).join() ?? '';
      const isBad =
        operation === 'batchCopyFile' &&
        /\p{Extended_Pictographic}/u.test(paths.replace(/[*\d]/g, ''));
      return isBad ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
    },
  }),
});
