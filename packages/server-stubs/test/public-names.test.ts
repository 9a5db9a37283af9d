import * as stubs from '@berth/server-stubs';
import * as document from '@berth/server-stubs/document';
import * as engine from '@berth/server-stubs/engine';
import * as node from '@berth/server-stubs/engine/node';
import * as serviceDocument from '@berth/server-stubs/service-document';
import { expect, test } from 'vitest';

test('the package exports these names, and no others', () => {
  expect(Object.keys(stubs).sort()).toEqual([
    'ContractError',
    'GatewayError',
    'StorageError',
    'UploadError',
    'applyDispositionRules',
    'contract',
    'createCors',
    'createEventStream',
    'createGatewayRouter',
    'createStorageRouter',
    'createUploadRouter',
    'defaultWireProfile',
    'dispositionRules',
    'isResponding',
    'removeHopByHop',
    'toResponse',
  ]);
});

test('the readers of documents export these names, and no others', () => {
  expect(Object.keys(document).sort()).toEqual(['UnreadableError', 'loadDocument', 'toDataSchema']);
  expect(Object.keys(serviceDocument).sort()).toEqual([
    'FaultError',
    'ServiceDocumentError',
    'loadServiceDocument',
    'readDocumentOperations',
    'writeResponseValidators',
  ]);
});

test('the engine exports these names, and no others', () => {
  expect(Object.keys(engine).sort()).toEqual([
    'BlobDamagedError',
    'BlobExistsError',
    'BlobMissingError',
    'FILES_PATH',
    'FilePathError',
    'SourceKeptError',
    'StoreFullError',
    'StoreUnavailableError',
    'UPLOAD_PATH',
    'assertFilePath',
    'createMemoryStore',
    'createStorage',
    'toFileID',
    'toFilePath',
  ]);
  expect(Object.keys(node).sort()).toEqual([
    'createClock',
    'createDownloadListener',
    'createGatewaySignature',
    'createKeyPairs',
    'createSigner',
    'createStorageSignature',
    'signGatewayRequest',
    'signStorageRequest',
    'tc3',
  ]);
});
