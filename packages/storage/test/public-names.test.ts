import * as storage from '@berth/storage';
import * as node from '@berth/storage/node';
import { expect, test } from 'vitest';

test.each([
  [
    'the package',
    storage,
    `BlobDamagedError BlobExistsError BlobMissingError FILES_PATH FileTooLargeError
    SIGNED_KINDS SourceKeptError StoreUnavailableError UPLOAD_PATH assertFilePath createMemoryStore createStorage parseFilePath
    parseLink toFileID`,
  ],
  ['the part for Node.js', node, 'createDownloadListener createSigner'],
])('%s exports these names, and no others', (_, module, names) => {
  expect(Object.keys(module).sort()).toEqual(names.split(/\s+/));
});
