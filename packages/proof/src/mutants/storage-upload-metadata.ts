import type { Json } from '../proxy/messages.ts';
import { type Mutant, mutant } from './mutant.ts';
import { metadata, type Patch, refuse } from './support/storage.ts';

const isDeep = (path: unknown) => typeof path === 'string' && path.includes('/deeper/');

const deepPaths = (patch: Patch) => metadata(patch, ({ fileID }: Json) => isDeep(fileID));

export const storageUploadMetadata: readonly Mutant[] = [
  mutant(
    'ST-META-CALL',
    'a path with several levels gets no upload grant',
    refuse(({ operation, json }) => operation === 'getUploadMetaData' && isDeep(json?.path)),
  ),
  mutant(
    'ST-META-URL',
    'the url for a path with several levels is relative',
    deepPaths((data) => {
      data.url = new URL(data.url).pathname;
    }),
  ),
  mutant(
    'ST-META-TOKEN',
    'a grant for a path with several levels has no token',
    deepPaths({ token: undefined }),
  ),
  mutant(
    'ST-META-AUTHORIZATION',
    'the authorization for a path with several levels is an object',
    deepPaths((data) => {
      data.authorization = { Signature: data.authorization };
    }),
  ),
  mutant(
    'ST-META-FILE-ID',
    'the fileID for a path with several levels is a number',
    deepPaths({ fileID: 42 }),
  ),
  mutant(
    'ST-META-STORE-FILE-ID',
    'the storeFileID for a path with several levels has a different name',
    deepPaths((data) => {
      data.storeFileId = data.storeFileID;
      delete data.storeFileID;
    }),
  ),
];
