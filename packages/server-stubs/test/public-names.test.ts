import * as stubs from '@berth/server-stubs';
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
    'toAnswer',
  ]);
});
