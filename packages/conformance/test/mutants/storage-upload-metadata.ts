import type { Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { type Patch, rename } from './support/gateway.ts';
import { GRANT, metadata, refuse } from './support/storage.ts';

const isDeep = (path: unknown) => typeof path === 'string' && path.includes('/deeper/');
const deepPaths = (patch: Patch) => metadata(patch, ({ fileID }: Json) => isDeep(fileID));

export const storageUploadMetadata: Rows = {
  'ST-META-CALL: a path with several levels gets no upload grant': refuse(
    ({ operation, json }) => operation === GRANT && isDeep(json?.path),
  ),
  'ST-META-CALL: an existing file gets no second grant': () => {
    const seen = new Set<string>();
    return refuse(({ operation, json }) => {
      const path = (json?.data ?? json)?.path;
      if (operation !== GRANT || typeof path !== 'string') return false;
      const isSecond = seen.has(path);
      seen.add(path);
      return isSecond;
    });
  },
  'ST-META-URL: the url for a path with several levels is relative': deepPaths({
    url: (url) => new URL(url).pathname,
  }),
  'ST-META-URL: it lacks the scheme': metadata({ url: (url) => url?.replace(/^http:/, '') }),
  'ST-META-TOKEN: a grant for a path with several levels has no token': deepPaths({
    token: undefined,
  }),
  'ST-META-TOKEN: it is null': metadata({ token: null }),
  'ST-META-AUTHORIZATION: the authorization for a path with several levels is an object': deepPaths(
    {
      authorization: (Signature) => ({ Signature }),
    },
  ),
  'ST-META-AUTHORIZATION: it is missing': metadata({ authorization: undefined }),
  'ST-META-FILE-ID: the fileID for a path with several levels is a number': deepPaths({
    fileID: 42,
  }),
  'ST-META-FILE-ID: it is spelled fileId': metadata(rename('fileID', 'fileId')),
  'ST-META-STORE-FILE-ID: the storeFileID for a path with several levels has a different name':
    deepPaths(rename('storeFileID', 'storeFileId')),
  'ST-META-STORE-FILE-ID: it is null': metadata({ storeFileID: null }),
};
