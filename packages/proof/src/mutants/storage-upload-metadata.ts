import type { Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { metadata, type Patch, refuse } from './support/storage.ts';

const isDeep = (path: unknown) => typeof path === 'string' && path.includes('/deeper/');
const deepPaths = (patch: Patch) => metadata(patch, ({ fileID }: Json) => isDeep(fileID));

/** Returns the path that a grant is requested for. */
const pathOfGrant = (operation: string | undefined, json: Json) =>
  operation === 'getUploadMetaData' ? (json?.data ?? json)?.path : undefined;

export const storageUploadMetadata: Rows = {
  'ST-META-CALL': {
    'a path with several levels gets no upload grant': refuse(
      ({ operation, json }) => operation === 'getUploadMetaData' && isDeep(json?.path),
    ),
    'an existing file gets no second grant': () => {
      const seen = new Set<string>();
      return refuse(({ operation, json }) => {
        const path = pathOfGrant(operation, json);
        if (typeof path !== 'string') return false;
        const isSecond = seen.has(path);
        seen.add(path);
        return isSecond;
      });
    },
  },
  'ST-META-URL': {
    'the url for a path with several levels is relative': deepPaths((data) => {
      data.url = new URL(data.url).pathname;
    }),
    'it lacks the scheme': metadata((data) => {
      data.url = data.url?.replace(/^http:/, '');
    }),
  },
  'ST-META-TOKEN': {
    'a grant for a path with several levels has no token': deepPaths({ token: undefined }),
    'it is null': metadata({ token: null }),
  },
  'ST-META-AUTHORIZATION': {
    'the authorization for a path with several levels is an object': deepPaths((data) => {
      data.authorization = { Signature: data.authorization };
    }),
    'it is missing': metadata({ authorization: undefined }),
  },
  'ST-META-FILE-ID': {
    'the fileID for a path with several levels is a number': deepPaths({ fileID: 42 }),
    'it is spelled fileId': metadata((data) => {
      Object.assign(data, { fileId: data.fileID, fileID: undefined });
    }),
  },
  'ST-META-STORE-FILE-ID': {
    'the storeFileID for a path with several levels has a different name': deepPaths((data) => {
      data.storeFileId = data.storeFileID;
      delete data.storeFileID;
    }),
    'it is null': metadata({ storeFileID: null }),
  },
};
