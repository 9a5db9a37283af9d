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
  'ST-RESPONSE: the url for a path with several levels is relative': deepPaths({
    url: (url) => new URL(url).pathname,
  }),
  'ST-RESPONSE: it lacks the scheme': metadata({ url: (url) => url?.replace(/^http:/, '') }),
  'ST-RESPONSE: a grant for a path with several levels has no token': deepPaths({
    token: undefined,
  }),
  'ST-RESPONSE: it is null': metadata({ token: null }),
  'ST-RESPONSE: the authorization for a path with several levels is an object': deepPaths({
    authorization: (Signature) => ({ Signature }),
  }),
  'ST-RESPONSE: it is missing': metadata({ authorization: undefined }),
  'ST-RESPONSE: the fileID for a path with several levels is a number': deepPaths({
    fileID: 42,
  }),
  'ST-RESPONSE: it is spelled fileId': metadata(rename('fileID', 'fileId')),
  'ST-RESPONSE: the storeFileID for a path with several levels has a different name': deepPaths(
    rename('storeFileID', 'storeFileId'),
  ),
  'ST-RESPONSE: the storeFileID is null': metadata({ storeFileID: null }),
};
