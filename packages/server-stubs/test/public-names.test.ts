import * as stubs from '@berth/server-stubs';
import * as auth from '@berth/server-stubs/auth';
import * as contract from '@berth/server-stubs/contract';
import { expect, test } from 'vitest';

test.each([
  [
    'the package',
    stubs,
    `ContractError GatewayError HttpError StorageError UpgradeResponse UploadError applyDispositionRules contract createCors
    createEventStream createGatewayRouter createStorageRouter createUploadRouter defaultWireProfile
    isLoopback isResponding takeSubprotocols toResponse toWireForm`,
  ],
  [
    'the authentication',
    auth,
    `createClock createGatewaySignature createKeyPairs createStorageSignature signGatewayRequest
    signStorageRequest`,
  ],
  [
    'the contract',
    contract,
    `COPY_PATH_PATTERN CORS ContractError GatewayError HttpError ITEM_SUCCESS LIMITS SIGNATURE STORAGE_ERRORS
    STORAGE_ITEM_ERRORS StorageError UploadError assertBatch badPath bodyTooLarge createCors decodeText
    gatewayRoutes hasResponse
    malformed notAllowed notFound readCredentials readForm readJsonBody storageRoutes toCallerResponse
    toContractError toResponse toStorageResponse toUploadFields toUploaded toWireForm`,
  ],
])('%s exports these names, and no others', (_, module, names) => {
  expect(Object.keys(module).sort()).toEqual(names.split(/\s+/));
});
