import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stWrongTypeDeep = defineMutant({
  rule: 'ST-WRONG-TYPE',
  breaks: 'a list that is nested deep ends in a 503',
  companions: [],
  create: () => ({
    request({ operation, body }) {
      const isDeep = operation === 'batchGetTempUrls' && body.includes('['.repeat(1000));
      const isJson = isDeep && body.subarray(-1000).toString().includes(']]');
      return isJson ? toStorageRefusal(503, 'SERVICE_UNAVAILABLE') : undefined;
    },
  }),
});
