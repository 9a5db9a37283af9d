import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as client from '@berth/client';
import * as msw from '@berth/client/msw';
import * as reactQuery from '@berth/client/react-query';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Returns the names of the types that an entry exports, by name or with all of a module. */
async function typesOf(entry: string) {
  const folder = join(ROOT, 'src', entry);
  const source = await readFile(join(folder, 'index.ts'), 'utf8');
  const named = [...source.matchAll(/export type \{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim().replace(/^.* as /, '')),
  );
  for (const [, file = ''] of source.matchAll(/export \* from '(.*)'/g)) {
    const module = await readFile(join(folder, file), 'utf8');
    for (const [, name = ''] of module.matchAll(/^export (?:interface|type) (\w+)/gm))
      named.push(name);
  }
  return named.filter(Boolean).sort();
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
      AnyBerthError BerthErrorDetails CallOptions ConnectOptions ContractIssue CopyListOptions
      CopyListResult CopyOptions CopyOrder CopyResult DeleteResult DocumentedService
      DownloadOptions DownloadRange EventsOptions ExpiringKeyPair FetchLike FileSource
      GatewayAddress GatewayAuth GatewayClient GatewayClientOptions GatewayComponents
      GatewayErrorCode GatewayErrorDetails GatewayPaths ListOptions
      PayloadOptions Progress RequestOptions RetryOptions Service ServiceCallOptions
      ServiceEvent SharedCallOptions SignableRequest StandardIssue
      StandardResult StandardSchema StorageClient StorageClientOptions StorageComponents
      StorageCredentials StorageCredentialsSource StorageErrorCode StoragePaths Tc3KeyPair
      Tc3Options Tc3StorageOptions TempUrlOptions TempUrlOrder TempUrlResult TempUrlsOptions
      Timeouts TokenProvider UploadData UploadErrorCode UploadOptions UploadResult WireProfile
      WireProfileInput`,
  },
  {
    entry: 'msw',
    module: msw,
    values: `
      gatewayError mswHandlers storageError uploadError`,
    types: `
      ErrorOptions EventSourceOf FileOptions MswFile
      MswFiles MswHandlers MswHandlersOptions MswService MswStorage MswUploads
      ServiceEventInit ServiceRequest ServiceResolver ServiceResponse StorageData
      StorageRequest StorageResolver UploadRequest`,
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
