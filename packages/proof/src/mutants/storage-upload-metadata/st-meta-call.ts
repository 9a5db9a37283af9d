import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';
import { isDeep } from './of-deep-paths.ts';

export const stMetaCall = defineMutant({
  rule: 'ST-META-CALL',
  breaks: 'no upload is granted to a path of several levels',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      const isRefused =
        operation === 'getUploadMetaData' && typeof json?.path === 'string' && isDeep(json.path);
      return isRefused ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
    },
  }),
});
