import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stCopyCallMany = defineMutant({
  rule: 'ST-COPY-CALL',
  breaks: 'a call for three files is refused',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      const isMany = operation === 'batchCopyFile' && json?.fileList?.length === 3;
      const isBad = /missing|@|"overwrite"/.test(JSON.stringify(json?.fileList ?? ''));
      return isMany && !isBad ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
    },
  }),
});
