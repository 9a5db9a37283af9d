import { defineMutant } from '../mutant.ts';
import { toStorageAnswer } from '../support/to-storage-refusal.ts';

export const stMissingField = defineMutant({
  rule: 'ST-MISSING-FIELD',
  breaks: 'a deletion without fileList deletes nothing, with success',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
      const hasList = [json?.fileList, json?.data].some((value) => value !== undefined);
      return isObject && !hasList && operation === 'batchDelete'
        ? toStorageAnswer(200, { data: { fileList: [] } })
        : undefined;
    },
  }),
});
