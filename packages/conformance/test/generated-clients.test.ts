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

const DOCUMENTS = ['gateway.v1', 'storage.v2'] as const;
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

interface Client {
  get(path: string, name?: string): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
  /** Calls an operation of the storage API, and returns the response body. */
  storage(operation: string, body: object): Promise<unknown>;
  upload(url: string, form: Record<string, string | Blob>): Promise<unknown>;
}

interface Generator {
  name: string;
  /** The program, as `package/file`, and its arguments. */
  program: [name: string, file: string];
  toArgs(document: string, output: string): string[];
  /** The module that it writes. */
  toModule(output: string): string;
  create(gateway: Generated, storage: Generated, url: string): Client;
}

const GENERATORS: Generator[] = [
  {
    name: '@hey-api/openapi-ts',
    program: ['@hey-api/openapi-ts', 'bin/run.js'],
    toArgs: (document, output) => [
      ...['-i', document, '-o', output, '-c', '@hey-api/client-fetch', '--no-log-file'],
    ],
    toModule: (output) => join(output, 'sdk.gen.ts'),
    create(gateway, storage, url) {
      const data = async (call: Promise<Generated>) => {
        const { data: found, error } = await call;
        return found ?? error;
      };
      const shared = { baseUrl: url };
      const asCaller = { ...shared, headers: AUTHORIZATION };
      const asStorage = { ...shared, headers: STORAGE_HEADERS, path: ENV };
      return {
        get: (anyPath, name = 'echo') =>
          anyPath === ''
            ? data(gateway.cloudrunGetRoot({ ...asCaller, path: { name } }))
            : data(gateway.cloudrunGet({ ...asCaller, path: { name, anyPath } })),
        post: (anyPath, body) =>
          anyPath === ''
            ? data(gateway.cloudrunPostRoot({ ...asCaller, path: { name: 'echo' }, body }))
            : data(gateway.cloudrunPost({ ...asCaller, path: { name: 'echo', anyPath }, body })),
        storage: (operation, body) => data(storage[operation]({ ...asStorage, body })),
        upload: (target, body) => data(storage.uploadFile({ baseUrl: target, body })),
      };
    },
  },
  {
    name: '@redocly/cli generate-client',
    program: ['@redocly/cli', 'bin/cli.js'],
    toArgs: (document, output) => ['generate-client', document, '-o', `${output}.ts`],
    toModule: (output) => `${output}.ts`,
    create(gateway, storage, url) {
      const caller = gateway.createClient(gateway.OPERATIONS, {
        ...{ serverUrl: url, headers: AUTHORIZATION },
      });
      const files = storage.createClient(storage.OPERATIONS, {
        ...{ serverUrl: url, headers: STORAGE_HEADERS },
      });
      const data = (call: Promise<unknown>) => call.catch((error) => Object(error).body);
      return {
        get: (anyPath, name = 'echo') =>
          anyPath === ''
            ? data(caller.cloudrun_get_root({ path: { name } }))
            : data(caller.cloudrun_get({ path: { name, anyPath } })),
        post: (anyPath, body) =>
          anyPath === ''
            ? data(caller.cloudrun_post_root({ path: { name: 'echo' }, body }))
            : data(caller.cloudrun_post({ path: { name: 'echo', anyPath }, body })),
        storage: (operation, body) => data(files[operation]({ path: ENV, body })),
        upload(target, fields) {
          const body = new FormData();
          for (const [name, value] of Object.entries(fields)) body.append(name, value);
          return data(
            storage.createClient(storage.OPERATIONS, { serverUrl: target }).uploadFile({ body }),
          );
        },
      };
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

async function generate({ program: [name, file], toArgs, toModule, create }: Generator) {
  const bin = join(findPackageJSON(name, import.meta.url) ?? '', '..', file);
  const modules = await Promise.all(
    DOCUMENTS.map(async (document) => {
      const output = join(folder, `${name.replace(/\W+/g, '-')}-${document}`);
      const source = fileURLToPath(import.meta.resolve(`@berth/spec/${document}.json`));
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off' };
      await promisify(execFile)(process.execPath, [bin, ...toArgs(source, output)], { env });
      return import(/* @vite-ignore */ toModule(output));
    }),
  );
  return create(modules[0], modules[1], mock.url);
}

describe.each(GENERATORS)('a client by $name', (generator) => {
  let client: Client;
  beforeAll(async () => {
    client = await generate(generator);
  });

  it('calls hosted services', async () => {
    expect(await client.get('')).toMatchObject({ method: 'GET', target: '/' });
    expect(await client.get('a')).toMatchObject({ method: 'GET', target: '/a' });
    expect(await client.post('', { name: 'Ada' })).toMatchObject({ method: 'POST', target: '/' });
    expect(await client.post('a', { name: 'Ada' })).toMatchObject({ method: 'POST', target: '/a' });
    expect(await client.get('', 'missing')).toMatchObject({ code: 'SERVICE_NOT_FOUND' });
  });

  it('uploads, links, copies and deletes a file', async () => {
    const key = 'generated/a.txt';
    const granted = Object(await client.storage('getUploadMetaData', { path: key })).body.data;
    await client.upload(granted.url, {
      Signature: granted.authorization,
      'x-store-security-token': granted.token,
      'x-store-meta-fileid': granted.storeFileID,
      ...{ key, file: new Blob([CONTENT]) },
    });
    const { fileID } = granted;
    const linked = Object(await client.storage('batchGetTempUrls', { fileList: [{ fileID }] }));
    const [link] = linked.body.data.fileList;
    expect(await (await fetch(link.tempFileURL)).text()).toBe(CONTENT);
    const fileList = [{ srcPath: `/${key}`, dstPath: '/generated/b.txt' }];
    const copied = Object(await client.storage('batchCopyFile', { fileList }));
    const [copy] = copied.body.data.fileList;
    const deleted = Object(
      await client.storage('batchDelete', { fileList: [fileID, copy.fileID] }),
    );
    expect(deleted.body.data.fileList).toMatchObject([{ code: 'SUCCESS' }, { code: 'SUCCESS' }]);
  });
});
