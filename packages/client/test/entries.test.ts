import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');

/** `export { a, b as c }`, and `export function a`. */
const EXPORT =
  /^export (?:type )?(?:\{([^}]*)\}|(?:async function|function|interface|const)? *(\w+))/gm;

it.each([
  [
    'index.ts',
    `AnyBerthError BerthError CallOptions ConnectOptions CopyItem CopyListResult CopyOptions DeleteResult
    DocumentedService DownloadOptions EventsOptions FetchLike GatewayAuth GatewayClient GatewayClientOptions
    GatewayPaths PayloadOptions Progress RequestOptions RetryOptions Service ServiceEvent StandardSchema
    StorageClient StorageClientOptions StorageCredentials StoragePaths Tc3KeyPair TempUrlOptions TempUrlResult
    UploadData UploadOptions WireProfile bearer createGatewayClient createStorageClient isBerthError tc3
    tc3Storage toWireProfile unwrapEnvelope`,
  ],
  ['react-query.ts', 'Upload UploadVariables linkQuery linksQuery serviceQuery useUpload'],
])('%s exports these names and no others', async (file, names) => {
  const source = await readFile(join(SOURCE, file), 'utf8');
  const lists = [...source.matchAll(EXPORT)].map(([, list, name]) => list ?? name ?? '');
  const exported = lists.flatMap((list) => list.match(/\w+(?=\s*(,|$))/g) ?? []);
  expect(exported.sort()).toEqual(names.split(/\s+/));
});
