import { readFile } from 'node:fs/promises';
import * as client from '@berth/client';
import { expect, it } from 'vitest';

it('exports these values and no others', () => {
  expect(Object.keys(client).sort()).toMatchInlineSnapshot(`
    [
      "BerthError",
      "ContractError",
      "GatewayError",
      "NetworkError",
      "StorageError",
      "TimeoutError",
      "UploadError",
      "bearer",
      "contract",
      "createGatewayClient",
      "createStorageClient",
      "defaultWireProfile",
      "isBerthError",
      "isContractError",
      "isGatewayError",
      "isNetworkError",
      "isStorageError",
      "isTimeoutError",
      "isUploadError",
      "tc3",
      "tc3Storage",
      "toGatewayError",
      "unwrapEnvelope",
    ]
  `);
});

it('exports these types and no others', async () => {
  const source = await readFile(new URL('../src/index.ts', import.meta.url), 'utf8');
  const names = [...source.matchAll(/export type \{([^}]*)\}/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.trim().replace(/^.* as /, ''))
    .filter(Boolean);
  expect(names.sort()).toMatchInlineSnapshot(`
    [
      "AnyBerthError",
      "BerthErrorDetails",
      "CallOptions",
      "ConnectOptions",
      "ContractIssue",
      "CopyListOptions",
      "CopyListResult",
      "CopyOptions",
      "CopyOrder",
      "CopyResult",
      "DeleteResult",
      "DownloadOptions",
      "DownloadRange",
      "EventsOptions",
      "ExpiringKeyPair",
      "FetchLike",
      "FileSource",
      "GatewayAddress",
      "GatewayAuth",
      "GatewayClient",
      "GatewayClientOptions",
      "GatewayComponents",
      "GatewayErrorCode",
      "GatewayErrorDetails",
      "GatewayPaths",
      "Hooks",
      "ListOptions",
      "OpenWebSocket",
      "PayloadOptions",
      "Progress",
      "RequestOptions",
      "RetryOptions",
      "Service",
      "ServiceCallOptions",
      "ServiceEvent",
      "SharedCallOptions",
      "SignableRequest",
      "StandardIssue",
      "StandardResult",
      "StandardSchema",
      "StorageClient",
      "StorageClientOptions",
      "StorageComponents",
      "StorageCredentials",
      "StorageCredentialsSource",
      "StorageErrorCode",
      "StoragePaths",
      "Tc3KeyPair",
      "Tc3Options",
      "Tc3StorageOptions",
      "TempUrlOptions",
      "TempUrlOrder",
      "TempUrlResult",
      "TempUrlsOptions",
      "Timeouts",
      "TokenProvider",
      "TryEvent",
      "UploadData",
      "UploadErrorCode",
      "UploadManyOptions",
      "UploadManyProgress",
      "UploadManyResult",
      "UploadOptions",
      "UploadOrder",
      "UploadResult",
      "WireProfile",
    ]
  `);
});
