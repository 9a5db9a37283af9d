import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as client from '@berth/client';
import * as reactQuery from '@berth/client/react-query';
import { expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');

/** Returns the names of the types that a module exports. */
async function typesOf(file: string): Promise<string[]> {
  const source = await readFile(join(SOURCE, file), 'utf8');
  const lists = [...source.matchAll(/^export type \{([^}]*)\}/gm)].map(([, list = '']) => list);
  const names = lists.flatMap((list) => list.split(','));
  const declared = [...source.matchAll(/^export (?:type|interface) (\w+)/gm)];
  return [
    ...names.map((name) => name.trim().replace(/^.* as /, '')),
    ...declared.map(([, name = '']) => name),
  ]
    .filter(Boolean)
    .sort();
}

it.each([
  {
    entry: '@berth/client',
    file: 'index.ts',
    module: client,
    values: `
      BerthError bearer createGatewayClient createStorageClient isBerthError tc3 tc3Storage toWireProfile
      unwrapEnvelope`,
    types: `
      AnyBerthError CallOptions ConnectOptions CopyItem CopyListResult CopyOptions DeleteResult DocumentedService
      DownloadOptions EventsOptions FetchLike GatewayAuth GatewayClient GatewayClientOptions GatewayPaths
      PayloadOptions Progress RequestOptions RetryOptions Service ServiceEvent
      StandardSchema StorageClient StorageClientOptions StorageCredentials StoragePaths Tc3KeyPair TempUrlOptions
      TempUrlResult UploadData UploadOptions WireProfile`,
  },
  {
    entry: '@berth/client/react-query',
    file: 'react-query.ts',
    module: reactQuery,
    values: 'linkQuery linksQuery serviceQuery useUpload',
    types: 'Upload UploadVariables',
  },
])('$entry exports these names and no others', async ({ file, module, values, types }) => {
  const wordsIn = (text: string) => text.trim().split(/\s+/);
  expect(Object.keys(module).sort()).toEqual(wordsIn(values));
  expect(await typesOf(file)).toEqual(wordsIn(types));
});
