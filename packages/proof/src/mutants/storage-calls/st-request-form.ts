import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stRequestForm = defineMutant({
  rule: 'ST-REQUEST-FORM',
  breaks: 'copies want their fields in data, all others at the top level',
  companions: ['ST-COPY-CALL'],
  create: () => ({
    request({ operation, json }) {
      const isTop = json?.fileList !== undefined && operation === 'batchCopyFile';
      const isData =
        json?.data !== undefined && operation !== 'batchCopyFile' && operation !== undefined;
      return isTop || isData ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
    },
  }),
});
