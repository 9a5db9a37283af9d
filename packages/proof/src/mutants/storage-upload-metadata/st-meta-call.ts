import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

/** Only paths of several levels are concerned. */
const isDeep = (path: unknown) => String(path).includes('/deeper/');

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
