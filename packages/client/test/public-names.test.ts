import { readFile } from 'node:fs/promises';
import * as client from '@berth/client';
import { expect, it } from 'vitest';

it('exports these values and no others', () => {
  expect(Object.keys(client).sort()).toMatchInlineSnapshot(`
    [
      "BerthError",
      "GatewayError",
      "StorageError",
      "UploadError",
      "contract",
      "createGatewayClient",
      "createStorageClient",
      "defaultWireProfile",
      "isBerthError",
      "isGatewayError",
      "isStorageError",
      "isUploadError",
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
      "BerthErrorDetails",
      "CopyOptions",
      "CopyResult",
      "GatewayAddress",
      "GatewayClient",
      "GatewayClientOptions",
      "GatewayComponents",
      "GatewayErrorCode",
      "GatewayPaths",
      "StorageClient",
      "StorageClientOptions",
      "StorageComponents",
      "StorageCredentials",
      "StorageCredentialsSource",
      "StorageErrorCode",
      "StoragePaths",
      "TempUrlOptions",
      "TokenSource",
      "UploadData",
      "UploadErrorCode",
      "UploadOptions",
      "UploadResult",
      "WireProfile",
    ]
  `);
});
