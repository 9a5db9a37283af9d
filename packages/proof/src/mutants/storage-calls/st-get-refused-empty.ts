import { defineMutant } from '../mutant.ts';
import { toStorageAnswer } from '../support/to-storage-refusal.ts';

export const stGetRefusedEmpty = defineMutant({
  rule: 'ST-GET-REFUSED',
  breaks: 'a GET of a list is answered with an empty one',
  companions: [],
  create: () => ({
    request({ method, operation }) {
      const isList = method === 'GET' && operation === 'batchGetTempUrls';
      return isList ? toStorageAnswer(200, { data: { fileList: [] } }) : undefined;
    },
  }),
});
