import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import standard from '@berth/spec/storage.v2.json' with { type: 'json' };
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { listExamples } from '../src/contract/contract.ts';
import { loadContract } from '../src/contract/load-contract.ts';
import { storage as call } from './helpers/calls.ts';
import { spawnCli, untilReady } from './helpers/cli.ts';
import { replaceFile } from './helpers/replace-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'berth-mock-'));
afterAll(() => rm(folder, { recursive: true }));
const write = async (name: string, document: object | string) => {
  const file = join(folder, name);
  await replaceFile(file, typeof document === 'string' ? document : stringify(document));
  return file;
};

/** A draft of the storage document with the changes that `edit` makes. */
// biome-ignore lint/suspicious/noExplicitAny: a test edits any part of a document
const draft = (edit: (document: any) => void): object => {
  const document = structuredClone(standard);
  edit(document);
  return document;
};

/** Adds a required field next to the path of an upload. */
const withReason = draft(({ components: { schemas } }) => {
  schemas.UploadMetaDataRequest.properties.reason = { type: 'string' };
  schemas.UploadMetaDataRequest.required.push('reason');
});

/** Adds an operation with the responses of another one. */
const withRename = draft(({ paths }) => {
  const copy = paths['/api/v2/envs/{envId}/storages:batchCopyFile'];
  const post = { ...copy.post, operationId: 'batchRename' };
  paths['/api/v2/envs/{envId}/storages:batchRename'] = { ...copy, post };
});

const SIGNED = { 'x-svc-authorization': '1.0 any', 'x-svc-timestamp': '1700000000' };
const EXAMPLE = listExamples().get('batchCopyFile')?.get('application/json') as { body: object };

const messageOf = (...files: string[]) =>
  loadContract(files).then(
    () => '',
    (error: Error) => error.message,
  );

describe('rejects a contract that cannot be served, with file, line and column', () => {
  test('no YAML', async () => {
    const file = await write('broken.yaml', 'openapi: 3.1.1\ninfo: {title: x\npaths: {}\n');
    expect(await messageOf(file)).toMatch(/broken\.yaml:3:1: /);
  });

  test('an invalid schema', async () => {
    const text = stringify(
      draft(({ components }) => {
        components.schemas.FileId.type = 'strin';
      }),
    );
    const line =
      text.split('\n').findIndex((one) => one.includes('type: strin') && !one.includes('string')) +
      1;
    const file = await write('wrong.yaml', text);
    expect(await messageOf(file)).toMatch(
      new RegExp(`wrong\\.yaml:${line}:\\d+: "strin" is not a type`),
    );
  });

  test('rejects another document, the same one twice, and none', async () => {
    const foreign = await write('foreign.yaml', {
      openapi: '3.1.1',
      info: { title: 'Pets', version: '1' },
      paths: { '/pets': { get: { responses: { 200: { description: 'Pets.' } } } } },
    });
    expect(await messageOf(foreign)).toMatch(/foreign\.yaml: It has no operation of the gateway/);
    const own = await write('own.yaml', standard);
    expect(await messageOf(own, own)).toMatch(
      /own\.yaml is a second document for the storage: remove one of them\./,
    );
    expect(await messageOf('none.yaml')).toMatch(/^none\.yaml: .*no such file/);
  });
});

test('takes both documents, in JSON or YAML', async () => {
  const files = [
    await write('storage.yaml', standard),
    await write('gateway.json', JSON.stringify(gateway)),
  ];
  expect((await loadContract(files)).operations).toHaveLength(9);
});

test('uses a changed contract immediately, without losing state or the port, and ignores a broken one', async () => {
  const file = await write('live.yaml', standard);
  const child = spawnCli('--port', '0', '--quiet', '--contract', file);
  try {
    const url = /Storage API +(http:\/\/[^/]+)/.exec(await untilReady(child))?.[1] ?? '';
    const statusOf = (operation: string, body: object, headers = {}) =>
      call({ url }, operation, body, headers).then(({ status }) => status);
    const change = async (document: object | string, stream: 'stdout' | 'stderr' = 'stdout') => {
      const reported = once(child[stream] as NodeJS.EventEmitter, 'data');
      await write('live.yaml', document);
      return String(await reported);
    };
    expect(await statusOf('getUploadMetaData', { path: 'a' })).toBe(200);
    const put = { method: 'PUT', headers: { 'content-type': 'application/json' } };
    await fetch(`${url}/__mock/api/clock`, { ...put, body: '{"now":"2030-01-01","frozen":true}' });

    expect(await change(withReason)).toContain('live.yaml changed and was reloaded.');
    const { status, json } = await call({ url }, 'getUploadMetaData', { path: 'a' });
    expect([status, json.body.message]).toEqual([400, expect.stringContaining('reason')]);
    expect(await statusOf('getUploadMetaData', { path: 'a', reason: 'b' })).toBe(200);
    // Prism validates against it too.
    const prefer = { prefer: 'code=200' };
    expect(await statusOf('getUploadMetaData', { path: 'a', reason: 'b' }, prefer)).toBe(200);

    expect(await change('paths: [', 'stderr')).toMatch(/live\.yaml:1:\d+: .* last valid version\./);
    expect(await statusOf('getUploadMetaData', { path: 'a' })).toBe(400);

    await change(withRename);
    expect(await statusOf('getUploadMetaData', { path: 'a' })).toBe(200);
    const rename = async (fileList: unknown, more = {}) => {
      const headers = { ...SIGNED, 'content-type': 'application/json', ...more };
      const path = '/api/v2/envs/dev/storages:batchRename';
      return fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ fileList }) });
    };
    const renamed = await rename([{ srcPath: 'a', dstPath: 'b' }]);
    expect([renamed.status, await renamed.json()]).toEqual([
      200,
      { ...EXAMPLE, body: { ...EXAMPLE.body, requestId: expect.any(String) } },
    ]);
    expect((await rename(1)).status).toBe(400);
    const preferred = await rename([{ srcPath: 'a', dstPath: 'b' }], prefer);
    expect(preferred.status).toBe(200);

    const clock = await fetch(`${url}/__mock/api/clock`).then((response) => response.json());
    expect(clock).toMatchObject({ now: '2030-01-01T00:00:00.000Z' });
    const described = await fetch(`${url}/__mock/api/contract`);
    const { operations } = (await described.json()) as { operations: { operationId: string }[] };
    expect(operations.map(({ operationId }) => operationId)).toContain('batchRename');
  } finally {
    child.kill('SIGKILL');
  }
});
