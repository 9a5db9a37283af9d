import { defineMutant } from '../mutant.ts';
import { toStorageAnswer } from '../support/to-storage-refusal.ts';

export const stBadJsonEmpty = defineMutant({
  rule: 'ST-BAD-JSON',
  breaks: 'an empty body of a copy is taken for an empty list',
  companions: [],
  create: () => ({
    request({ operation, method, body }) {
      const isEmpty = operation === 'batchCopyFile' && method === 'POST' && body.length === 0;
      return isEmpty ? toStorageAnswer(200, { data: { fileList: [] } }) : undefined;
    },
  }),
});
