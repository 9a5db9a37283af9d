import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

const CLOSE = ']'.charCodeAt(0);

export const stBadJsonDeep = defineMutant({
  rule: 'ST-BAD-JSON',
  breaks: 'brackets that do not close end in a 500',
  companions: [],
  create: () => ({
    request({ operation, body }) {
      const isDeep =
        operation === 'batchDelete' && body.subarray(0, 100).toString() === '['.repeat(100);
      return isDeep && body.at(-1) !== CLOSE ? toStorageRefusal(500, 'SYS_ERR') : undefined;
    },
  }),
});
