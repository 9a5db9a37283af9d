import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stMissingFieldFault = defineMutant({
  rule: 'ST-MISSING-FIELD',
  breaks: 'a missing path ends in a 500',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
      const isEmpty = isObject && Object.keys(json).length === 0;
      return isEmpty && operation === 'getUploadMetaData'
        ? toStorageRefusal(500, 'SYS_ERR')
        : undefined;
    },
  }),
});
