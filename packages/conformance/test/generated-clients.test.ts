// Clients that other generators make from the documents call every operation on the mock.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const AUTHORIZATION = { Authorization: 'Bearer any' };
const STORAGE_HEADERS = {
  'X-Svc-Authorization': '1.0 any',
  'X-Svc-SessionToken': '',
  'X-Svc-TimeStamp': '1700000000',
};
const ENV = { envId: 'dev' };
const CONTENT = 'Hello from Berth.';

// biome-ignore lint/suspicious/noExplicitAny: what a generator writes has no type before it runs
type Generated = Record<string, any>;

interface CallOptions {
  path?: Record<string, string>;
  body?: Record<string, unknown>;
}

/** Calls an operation of a document, and returns the body of the response. */
type Call = (operationId: string, options: CallOptions) => Promise<unknown>;

interface Generator {
  name: string;
  /** The program, as `package/file`, and its arguments. */
  program: [name: string, file: string];
  toArgs(document: string, output: string): string[];
  /** The module that it writes. */
  toModule(output: string): string;
  /** Creates a client from the module. */
  create(module: Generated, url: string, headers?: Record<string, string>): Call;
}

const GENERATORS: Generator[] = [
  {
    name: '@hey-api/openapi-ts',
    program: ['@hey-api/openapi-ts', 'bin/run.js'],
    toArgs: (document, output) => [
      ...['-i', document, '-o', output, '-c', '@hey-api/client-fetch', '--no-log-file'],
    ],
    toModule: (output) => join(output, 'sdk.gen.ts'),
    create: (module, baseUrl, headers) => async (operationId, options) => {
      const name = operationId.replace(/-./g, ([, letter]) => `${letter}`.toUpperCase());
      const { data, error } = await module[name]({ baseUrl, headers, ...options });
      return data ?? error;
    },
  },
  {
    name: '@redocly/cli generate-client',
    program: ['@redocly/cli', 'bin/cli.js'],
    toArgs: (document, output) => ['generate-client', document, '-o', `${output}.ts`],
    toModule: (output) => `${output}.ts`,
    create:
      (module, serverUrl, headers) =>
      (operationId, { body, ...options }) => {
        const client = module.createClient(module.OPERATIONS, { serverUrl, headers });
        const isForm = Object.values(body ?? {}).some((value) => value instanceof Blob);
        const form = new FormData();
        for (const [name, value] of Object.entries(body ?? {})) form.append(name, value as string);
        const name = operationId.replaceAll('-', '_');
        const call = client[name]({ ...options, ...(body && { body: isForm ? form : body }) });
        return call.catch((error: unknown) => Object(error).body);
      },
  },
];

let mock: Mock;
let folder: string;

beforeAll(async () => {
  mock = await createMock({ services: {} });
  folder = await mkdtemp(join(tmpdir(), 'berth-clients-'));
});
afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

/** Runs a generator for a document, and returns the module that it has written. */
async function generate({ program: [name, file], toArgs, toModule }: Generator, document: string) {
  const bin = join(findPackageJSON(name, import.meta.url) ?? '', '..', file);
  const output = join(folder, `${name.replace(/\W+/g, '-')}-${document}`);
  const source = fileURLToPath(import.meta.resolve(`@berth/spec/${document}.json`));
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off' };
  await promisify(execFile)(process.execPath, [bin, ...toArgs(source, output)], { env });
  return import(/* @vite-ignore */ toModule(output));
}

describe.each(GENERATORS)('a client by $name', (generator) => {
  let gateway: Generated;
  let storage: Generated;
  beforeAll(async () => {
    const documents = ['gateway.v1', 'storage.v2'].map((name) => generate(generator, name));
    [gateway, storage] = await Promise.all(documents);
  });

  it('calls hosted services', async () => {
    const call = generator.create(gateway, mock.url, AUTHORIZATION);
    const [name, anyPath] = ['echo', 'a'];
    const body = { name: 'Ada' };
    expect([
      await call('cloudrun-get-root', { path: { name } }),
      await call('cloudrun-get', { path: { name, anyPath } }),
      await call('cloudrun-post-root', { path: { name }, body }),
      await call('cloudrun-post', { path: { name, anyPath }, body }),
      await call('cloudrun-get-root', { path: { name: 'missing' } }),
    ]).toMatchObject([
      { method: 'GET', path: '/' },
      { method: 'GET', path: '/a' },
      { method: 'POST', path: '/' },
      { method: 'POST', path: '/a' },
      { code: 'SERVICE_NOT_FOUND' },
    ]);
  });

  it('uploads, links, copies and deletes a file', async () => {
    const call = generator.create(storage, mock.url, STORAGE_HEADERS);
    const dataOf = async (operationId: string, body: Record<string, unknown>) =>
      Object(await call(operationId, { path: ENV, body })).body.data;
    const key = 'generated/a.txt';
    const granted = await dataOf('getUploadMetaData', { path: key });
    const toTarget = generator.create(storage, granted.url);
    await toTarget('uploadFile', {
      body: {
        Signature: granted.authorization,
        'x-store-security-token': granted.token,
        'x-store-meta-fileid': granted.storeFileID,
        ...{ key, file: new Blob([CONTENT]) },
      },
    });
    const { fileID } = granted;
    const linked = await dataOf('batchGetTempUrls', { fileList: [{ fileID }] });
    expect(await (await fetch(linked.fileList[0].tempFileURL)).text()).toBe(CONTENT);
    const fileList = [{ srcPath: `/${key}`, dstPath: '/generated/b.txt' }];
    const [copy] = (await dataOf('batchCopyFile', { fileList })).fileList;
    const deleted = await dataOf('batchDelete', { fileList: [fileID, copy.fileID] });
    expect(deleted.fileList).toMatchObject([{ code: 'SUCCESS' }, { code: 'SUCCESS' }]);
  });
});
