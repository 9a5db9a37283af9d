import * as stubs from '@berth/server-stubs';
import * as engine from '@berth/server-stubs/engine';
import * as node from '@berth/server-stubs/engine/node';
import { expect, test } from 'vitest';

test.each([
  [
    'the package',
    stubs,
    `ContractError GatewayError StorageError UpgradeResponse UploadError applyDispositionRules contract createCors
    createEventStream createGatewayRouter createStorageRouter createUploadRouter defaultWireProfile
    isLoopback isResponding takeSubprotocols toResponse toWireForm`,
  ],
  [
    'the engine',
    engine,
    `BlobDamagedError BlobExistsError BlobMissingError FILES_PATH FilePathError SourceKeptError
    StoreFullError StoreUnavailableError UPLOAD_PATH assertFilePath createMemoryStore createStorage
    toFileID toFilePath`,
  ],
  [
    'the engine for Node.js',
    node,
    `createClock createDownloadListener createGatewaySignature createKeyPairs createSigner
    createStorageSignature signGatewayRequest signStorageRequest tc3`,
  ],
])('%s exports these names, and no others', (_, module, names) => {
  expect(Object.keys(module).sort()).toEqual(names.split(/\s+/));
});
