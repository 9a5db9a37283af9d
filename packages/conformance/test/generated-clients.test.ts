// Clients that other generators make from the documents call every operation on the mock.

import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMock } from '@berth/mock';
import { expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: what a generator writes has no type before it runs
type Json = any;

/** Calls an operation of a generated client, and returns the body of the response. */
type Call = (operationId: string, path?: object, body?: Record<string, unknown>) => Promise<Json>;

/** How to run each generator, and how to call an operation with the module that it writes. */
const GENERATORS = {
  '@hey-api/openapi-ts': {
    packageName: '@hey-api/openapi-ts',
    file: 'bin/run.js',
    toArgs: (document: string, output: string) =>
      `-i ${document} -o ${output} -c @hey-api/client-fetch --no-log-file`.split(' '),
    module: 'sdk.gen.ts',
    create:
      (module: Json, baseUrl: string, headers: object): Call =>
      async (operationId, path, body) => {
        const name = operationId.replace(/-./g, ([, letter = '']) => letter.toUpperCase());
        const { data, error } = await module[name]({ baseUrl, headers, path, body });
        return data ?? error;
      },
  },
  '@redocly/cli generate-client': {
    packageName: '@redocly/cli',
    file: 'bin/cli.js',
    toArgs: (document: string, output: string) => [
      'generate-client',
      document,
      '-o',
      join(output, 'client.ts'),
    ],
    module: 'client.ts',
    create:
      (module: Json, serverUrl: string, headers: object): Call =>
      (operationId, path, fields) => {
        const client = module.createClient(module.OPERATIONS, { serverUrl, headers });
        const form = new FormData();
        for (const [name, value] of Object.entries(fields ?? {}))
          form.append(name, value as string);
        const body = operationId === 'uploadFile' ? form : fields;
        const call = client[operationId.replaceAll('-', '_')]({ path, ...(body && { body }) });
        return call.catch((error: unknown) => Object(error).body);
      },
  },
};

async function generate(
  { packageName, file, toArgs, module }: (typeof GENERATORS)[keyof typeof GENERATORS],
  document: string,
  output: string,
) {
  const bin = join(findPackageJSON(packageName, import.meta.url) ?? '', '..', file);
  const source = fileURLToPath(import.meta.resolve(`@berth/spec/${document}.json`));
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off' };
  await promisify(execFile)(process.execPath, [bin, ...toArgs(source, output)], { env });
  return import(/* @vite-ignore */ join(output, module));
}

test.each(Object.entries(GENERATORS))('a client by %s makes every call', async (_, generator) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  const mock = await createMock({ services: {} });
  const [gateway, storage] = await Promise.all(
    ['gateway.v1', 'storage.v2'].map((document) =>
      generate(generator, document, join(folder.path, document)),
    ),
  );

  const call = generator.create(gateway, mock.url, { Authorization: 'Bearer any' });
  const [name, anyPath] = ['echo', 'a'];
  const body = { name: 'Ada' };
  expect([
    await call('cloudrun-get-root', { name }),
    await call('cloudrun-get', { name, anyPath }),
    await call('cloudrun-post-root', { name }, body),
    await call('cloudrun-post', { name, anyPath }, body),
    await call('cloudrun-get-root', { name: 'missing' }),
  ]).toMatchObject([
    { method: 'GET', path: '/' },
    { method: 'GET', path: '/a' },
    { method: 'POST', path: '/' },
    { method: 'POST', path: '/a' },
    { code: 'SERVICE_NOT_FOUND' },
  ]);

  const headers = {
    'X-Svc-Authorization': '1.0 any',
    'X-Svc-SessionToken': '',
    'X-Svc-TimeStamp': '1700000000',
  };
  const store = generator.create(storage, mock.url, headers);
  const dataOf = async (operationId: string, fields: Record<string, unknown>) =>
    (await store(operationId, { envId: 'dev' }, fields)).body.data;
  const key = 'generated/a.txt';
  const { url, fileID, ...granted } = await dataOf('getUploadMetaData', { path: key });
  await generator.create(storage, url, {})('uploadFile', undefined, {
    Signature: granted.authorization,
    'x-store-security-token': granted.token,
    'x-store-meta-fileid': granted.storeFileID,
    key,
    file: new Blob(['Hello from Berth.']),
  });
  const linked = await dataOf('batchGetTempUrls', { fileList: [{ fileID }] });
  expect(await (await fetch(linked.fileList[0].tempFileURL)).text()).toBe('Hello from Berth.');
  const fileList = [{ srcPath: `/${key}`, dstPath: '/generated/b.txt' }];
  const [copy] = (await dataOf('batchCopyFile', { fileList })).fileList;
  const deleted = await dataOf('batchDelete', { fileList: [fileID, copy.fileID] });
  expect(deleted.fileList).toMatchObject([{ code: 'SUCCESS' }, { code: 'SUCCESS' }]);
  await mock.close();
});
