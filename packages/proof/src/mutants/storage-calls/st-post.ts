import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stPost = defineMutant({
  rule: 'ST-POST',
  breaks: 'copies are a PUT',
  companions: ['ST-COPY-CALL'],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return undefined;
      if (request.method === 'POST') return toStorageRefusal(405, 'METHOD_NOT_ALLOWED');
      if (request.method === 'PUT') request.method = 'POST';
      return undefined;
    },
  }),
});
