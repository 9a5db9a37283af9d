import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as client from '@berth/client';
import * as msw from '@berth/client/msw';
import * as reactQuery from '@berth/client/react-query';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Returns the names of the types that an entry exports. */
async function typesOf(entry: string) {
  const source = await readFile(join(ROOT, 'src', entry, 'index.ts'), 'utf8');
  return [...source.matchAll(/export type \{([^}]*)\}/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.trim().replace(/^.* as /, ''))
    .filter(Boolean)
    .sort();
}

/** Returns the modules of this package in a browser bundle of an entry. */
async function modulesOf(entry: string) {
  const build = await rolldown({
    cwd: ROOT,
    input: join(ROOT, 'src', entry, 'index.ts'),
    platform: 'browser',
    external: /^(msw|react|openapi-|@tanstack)/,
    resolve: { conditionNames: ['berth-source', 'import', 'default'] },
  });
  const { output } = await build.generate({ format: 'esm' });
  return output
    .filter((file): file is OutputChunk => file.type === 'chunk')
    .flatMap(({ moduleIds, imports }) => [...moduleIds, ...imports])
    .map((id) => id.replace(/^.*\/src\//, ''));
}

describe('@berth/client/react-query', () => {
  it('exports these names and no others', async () => {
    expect(Object.keys(reactQuery).sort()).toMatchInlineSnapshot(`
      [
        "createGatewayQueries",
        "createStorageQueries",
        "useUpload",
      ]
    `);
    expect(await typesOf('react-query')).toMatchInlineSnapshot(`
      [
        "BerthQuery",
        "DocumentedServiceQueries",
        "GatewayQueries",
        "GatewayQueryPaths",
        "LinkOptions",
        "LinkQuery",
        "ServiceQueries",
        "ServiceQueryOptions",
        "StorageQueries",
        "StorageQueryPaths",
        "Upload",
        "UploadVariables",
        "UseUploadOptions",
      ]
    `);
  });

  it('contains neither MSW nor its handlers', async () => {
    expect((await modulesOf('react-query')).filter((id) => /msw/.test(id))).toEqual([]);
  });
});

describe('@berth/client/msw', () => {
  it('exports these names and no others', async () => {
    expect(Object.keys(msw).sort()).toMatchInlineSnapshot(`
      [
        "gatewayError",
        "mswHandlers",
        "storageError",
        "uploadError",
      ]
    `);
    expect(await typesOf('msw')).toMatchInlineSnapshot(`
      [
        "DocumentedMswService",
        "DocumentedResolver",
        "ErrorOptions",
        "EventSourceOf",
        "FileOptions",
        "MswFile",
        "MswFiles",
        "MswHandlers",
        "MswHandlersOptions",
        "MswService",
        "MswStorage",
        "MswUploads",
        "ServiceEventInit",
        "ServiceRequest",
        "ServiceResolver",
        "ServiceResponse",
        "StorageData",
        "StorageRequest",
        "StorageResolver",
        "UploadRequest",
      ]
    `);
  });

  it('contains no client', async () => {
    const others = /react|^internal\/pipeline|^create-|^operations|^service\//;
    expect((await modulesOf('msw')).filter((id) => others.test(id))).toEqual([]);
  });
});

describe('@berth/client', () => {
  it('exports these names and no others', async () => {
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
    expect(await typesOf('.')).toMatchInlineSnapshot(`
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
        "DocumentedService",
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
        "ServiceValidators",
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

  it('contains nothing of the other entries', async () => {
    const others = /msw|react|tanstack/;
    expect((await modulesOf('.')).filter((id) => others.test(id))).toEqual([]);
  });
});
