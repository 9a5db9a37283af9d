import * as stubs from '@berth/server-stubs';
import * as auth from '@berth/server-stubs/auth';
import * as contract from '@berth/server-stubs/contract';
import * as runtime from '@berth/server-stubs/runtime';
import { expect, test } from 'vitest';

test.each([
  [
    'the package',
    stubs,
    `GatewayError HttpError StorageError UploadError createEventStream createGatewayRouter createStorageRouter
    createUploadRouter toUpgradeOptions`,
  ],
  [
    'the authentication',
    auth,
    `createGatewaySignature createKeyPairs createStorageSignature signStorageRequest`,
  ],
  [
    'the contract',
    contract,
    `CONTRACT COPY_PATH_PATTERN CORS GATEWAY_ERRORS GatewayError HttpError ITEM_SUCCESS LIMITS MERGED_HEADERS SIGNATURE STORAGE_ERRORS
    STORAGE_ITEM_ERRORS StorageError UPLOAD_ERRORS UploadError addField applyDispositionRules assertBatch badPath
    bodyTooLarge countHosts createCors decodeText gatewayRoutes handleForm hasResponse isFileField isLoopback isOrigin
    isWithheld malformedForm memoize missingFileField nominatedBy notAllowed notFound readCredentials readJsonBody splitTarget storageRoutes
    toCallerResponse toCanonicalName toContractError toEventText toFileType toResponse toServiceHeaders toStorageResponse
    toWireForm`,
  ],
  [
    'the runtime',
    runtime,
    'UpgradeResponse ajvHelpers createTableRouter hasBody toDisconnectError toResponse',
  ],
])('%s exports these names, and no others', (_, module, names) => {
  expect(Object.keys(module).sort()).toEqual(names.split(/\s+/));
});
