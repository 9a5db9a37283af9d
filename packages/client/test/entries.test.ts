import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as client from '@berth/client';
import * as reactQuery from '@berth/client/react-query';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Returns the names of the types that an entry exports. */
async function typesOf(entry: string) {
  const source = await readFile(join(ROOT, 'src', entry, 'index.ts'), 'utf8');
  const lists = [...source.matchAll(/export type \{([^}]*)\}/g)].map(([, list = '']) => list);
  const names = lists.join(',').split(',');
  return names
    .map((name) => name.trim().replace(/^.* as /, ''))
    .filter(Boolean)
    .sort();
}

it.each([
  {
    entry: '.',
    module: client,
    values: `
      BerthError ContractError GatewayError NetworkError StorageError TimeoutError UploadError
      bearer contract createGatewayClient createStorageClient defaultWireProfile isBerthError
      isContractError isGatewayError isNetworkError isStorageError isTimeoutError
      isUploadError tc3 tc3Storage toGatewayError unwrapEnvelope`,
    types: `
      AnyBerthError CallOptions ConnectOptions ContractIssue CopyItem CopyListResult CopyOptions
      CopyResult DeleteResult DocumentedService DownloadOptions EventsOptions FetchLike
      GatewayAuth GatewayClient GatewayClientOptions GatewayPaths PayloadOptions Progress
      RequestOptions RetryOptions Service ServiceCallOptions ServiceEvent SignableRequest
      StandardSchema StorageClient StorageClientOptions StorageCredentials StoragePaths
      Tc3KeyPair Tc3Options TempUrlOptions TempUrlResult Timeouts UploadData UploadOptions
      UploadResult WireProfile WireProfileInput`,
  },
  {
    entry: 'react-query',
    module: reactQuery,
    values: `
      createGatewayQueries createStorageQueries useUpload`,
    types: `
      BerthQuery GatewayQueries GatewayQueryPaths LinkOptions
      LinkQuery ServiceQueries ServiceQueryOptions StorageQueries StorageQueryPaths Upload
      UploadVariables UseUploadOptions`,
  },
])(
  'the entry $entry exports these names and no others',
  async ({ entry, module, values, types }) => {
    const wordsIn = (text: string) => text.trim().split(/\s+/);
    expect(Object.keys(module).sort()).toEqual(wordsIn(values));
    expect(await typesOf(entry)).toEqual(wordsIn(types));
  },
);
