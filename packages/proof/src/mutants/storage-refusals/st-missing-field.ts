import { defineMutant } from '../mutant.ts';
import { toStorageAnswer } from '../support/to-storage-refusal.ts';

export const stMissingField = defineMutant({
  rule: 'ST-MISSING-FIELD',
  breaks: 'a deletion without fileList deletes nothing, with success',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      const isMissing =
        operation === 'batchDelete' && json && !/"fileList"/.test(JSON.stringify(json));
      const isObject = typeof json === 'object' && !Array.isArray(json);
      return isMissing && isObject ? toStorageAnswer(200, { data: { fileList: [] } }) : undefined;
    },
  }),
});
