import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { storageRoutes } from '@berth/server-stubs/contract';
import type { Route } from '@berth/server-stubs/runtime';
import gatewayDocument from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storageDocument from '@berth/spec/storage.v2.json' with { type: 'json' };
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { BEARER, call, control, STORAGE_HEADERS, storage } from './helpers/calls.ts';
import { replaceFile, writeFiles } from './helpers/files.ts';
import { getGrant, toForm } from './helpers/upload.ts';

/** A storage document with an operation that the storage engine does not implement, and uploads without headers. */
function draftWith(example: unknown) {
  const { '/api/v2/envs/{envId}/storages:batchDelete': batchDelete, '/': root } =
    storageDocument.paths;
  const content = { 'application/json': { examples: { some: { value: example } } } };
  const properties = { prefix: { type: 'string' } };
  const schema = { type: 'object', required: ['prefix'], properties };
  const listFiles = {
    ...batchDelete.post,
    operationId: 'listFiles',
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      200: { description: 'The files.', content },
      default: batchDelete.post.responses.default,
    },
  };
  const deleteFiles = { operationId: 'deleteFiles', responses: listFiles.responses };
  const path = { parameters: batchDelete.parameters, post: listFiles, delete: deleteFiles };
  const responses = { ...root.post.responses, '2XX': { description: 'Stored.' } };
  const upload = { ...root, post: { ...root.post, responses } };
  const paths = {
    ...storageDocument.paths,
    '/': upload,
    '/api/v2/envs/{envId}/storages:listFiles': path,
  };
  return { ...storageDocument, paths };
}

const EXAMPLE = { statusCode: 200, body: { requestId: 'x', data: { fileList: ['a.txt'] } } };

const NONE = { 204: { description: 'None.' } };

const toOperation = (operationId: string) => ({ operationId, responses: NONE });

/** Writes a draft of the gateway with these paths as well. */
async function writeGatewayDraft(added: object): Promise<string> {
  const paths = { ...gatewayDocument.paths, ...added };
  const text = JSON.stringify({ ...gatewayDocument, paths });
  const [path = ''] = await writeFiles({ 'gateway.json': text });
  return path;
}

const [draft = ''] = await writeFiles({ 'storage.v2.json': JSON.stringify(draftWith(EXAMPLE)) });
const mock = await createMock({ document: draft });
afterAll(() => mock.close());

test('Prism responds to an operation that only a draft has', async () => {
  const { status, json, headers } = await storage(mock, 'listFiles', { prefix: 'a' });
  expect(status).toBe(200);
  expect(json).toMatchObject({ statusCode: 200, body: { data: { fileList: ['a.txt'] } } });
  expect(json.body.requestId).toBe(headers['x-request-id']);
});

test.each(['strict', 'present'] as const)(
  "an operation of a gateway draft needs the gateway's credentials: %s",
  async (mode) => {
    const document = await writeGatewayDraft({ '/v1/list': { get: toOperation('list') } });
    await using extended = await createMock({ document, credentials: mode });
    const ask = async (path: string, headers: Record<string, string>) => {
      const { status, json, headers: sent } = await call(extended, { path, headers });
      const error = status < 400 ? undefined : status;
      return { error, code: json?.code, challenge: sent['www-authenticate'] };
    };
    const tokens = ['Basic a', 'Bearer a b', 'Bearer any'];
    const signatures = ['TC3-HMAC-SHA256 any', 'TC3-HMAC-SHA256', 'tc3-hmac-sha256 any'];
    for (const authorization of [...tokens, ...signatures]) {
      const expected = await ask('/v1/cloudrun/hello', { authorization });
      expect.soft(await ask('/v1/list', { authorization }), authorization).toEqual(expected);
    }
    const missing = await ask('/v1/list', {});
    expect(missing).toMatchObject({ code: 'MISSING_CREDENTIALS' });
    expect(missing).toEqual(await ask('/v1/cloudrun/hello', {}));
    const headers = { authorization: `Bearer ${(await extended.credentials()).token}` };
    expect(await call(extended, { path: '/v1/list', headers })).toMatchObject({ status: 204 });
  },
);

test('Prefer selects an error that a draft documents, and an operation without responses says so', async () => {
  const example = { code: 'ITEM_NOT_FOUND', message: 'No such item.', requestId: 'x' };
  const content = { 'application/json': { example } };
  const getItem = { operationId: 'getItem', responses: { 404: { description: 'None.', content } } };
  const item = { get: getItem, delete: { operationId: 'deleteItem' } };
  await using extended = await createMock({
    document: await writeGatewayDraft({ '/v1/item': item }),
  });
  const headers = { ...BEARER, prefer: 'code=404' };
  const { status, json } = await call(extended, { path: '/v1/item', headers });
  expect([status, json.code, json.message]).toEqual([404, 'ITEM_NOT_FOUND', 'No such item.']);
  const missing = await call(extended, { method: 'DELETE', path: '/v1/item', headers: BEARER });
  const message = 'The document has no responses for deleteItem: add one.';
  expect(missing).toMatchObject({ status: 501, json: { code: 'SYS_ERR', message } });
});

test('an operation of a draft belongs to its surface, whatever its path', async () => {
  const paths = { ...storageDocument.paths, '/admin/ping': { get: toOperation('ping') } };
  const [document = ''] = await writeFiles({ 'storage.json': JSON.stringify(storageDocument) });
  await using extended = await createMock({ document, faults: ['storage:code=SYS_ERR,times=1'] });
  // The first call after a change follows the new draft.
  await replaceFile(document, JSON.stringify({ ...storageDocument, paths }));
  const ask = () => call(extended, { path: '/admin/ping', headers: STORAGE_HEADERS });
  expect([(await ask()).status, (await ask()).status]).toEqual([500, 204]);
  const rejected = await call(extended, { method: 'PUT', path: '/admin/ping' });
  expect(rejected).toMatchObject({ status: 405, json: { body: { code: 'METHOD_NOT_ALLOWED' } } });
  const logged = { surface: 'storage', operationId: 'ping' };
  const unmatched = { surface: 'storage', operationId: undefined };
  expect(extended.session().requests()).toMatchObject([logged, logged, unmatched]);
});

// As after a change in `spec/`, and `npm run generate`.
test('Prism responds to a built-in operation that nothing implements', async () => {
  const path = '/api/v2/envs/{envId}/storages:listFiles';
  const paths: Record<string, unknown> = storageDocument.paths;
  paths[path] = draftWith(EXAMPLE).paths[path];
  const routes = storageRoutes.routes as Route[];
  routes.push({ ...(routes[0] as Route), operationId: 'listFiles', path });
  onTestFinished(() => {
    routes.pop();
    delete paths[path];
  });
  await using extended = await createMock();
  const { json } = await storage(extended, 'listFiles', { path: 'a' });
  expect(json.body.data).toEqual(EXAMPLE.body.data);
  expect((await storage(extended, 'batchDelete', { fileList: [] })).status).toBe(200);
});

describe('an operation that only a draft has', () => {
  test.each([
    ['no credentials', 'POST', {}, { prefix: 'a' }, 401, /header is missing/],
    ['a bad body', 'POST', STORAGE_HEADERS, { prefix: 1 }, 400, /body\.prefix must be a string/],
    ['another method', 'PUT', STORAGE_HEADERS, {}, 405, /use POST, DELETE, OPTIONS\.$/],
  ])('gets errors of the contract: %s', async (_, method, headers, body, status, message) => {
    const reply = await call(mock, {
      method,
      path: '/api/v2/envs/dev/storages:listFiles',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const json = { statusCode: status, body: { message: expect.stringMatching(message) } };
    expect(reply).toMatchObject({ status, json });
  });

  test.each([
    ['PUT', '/v1/list', 405, 'GET, HEAD, DELETE, OPTIONS'],
    ['OPTIONS', '/v1/list', 204, 'GET, HEAD, DELETE, OPTIONS'],
    ['PUT', '/v1/cloudrun/hello', 405, 'GET, HEAD, POST, DELETE, OPTIONS'],
    ['OPTIONS', '/v1/cloudrun/hello', 204, 'GET, HEAD, POST, DELETE, OPTIONS'],
  ])('allows its methods and those of the contract: %s %s', async (method, path, status, allow) => {
    const { post } = gatewayDocument.paths['/v1/cloudrun/{name}'];
    const document = await writeGatewayDraft({
      '/v1/cloudrun/{name}': { post, delete: toOperation('stop') },
      '/v1/list': { get: toOperation('list'), delete: toOperation('clear') },
    });
    await using extended = await createMock({ document });
    const ask = (method: string) => call(extended, { method, path, headers: BEARER });
    expect([(await ask('DELETE')).status, (await ask('HEAD')).status < 300]).toEqual([204, true]);
    const { headers, ...reply } = await ask(method);
    expect([reply.status, headers.allow]).toEqual([status, allow]);
    if (status === 204) expect(headers['access-control-allow-methods']).toBe(allow);
    else expect(reply.json).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  });

  test('may be called during a reload: the log has bodies, and ends if a client disconnects', async () => {
    const text = JSON.stringify(draftWith(EXAMPLE));
    const [document = ''] = await writeFiles({ 'storage.json': text });
    await using extended = await createMock({ document });
    const calls = () => extended.session().requests();
    // The reload lasts until somebody writes to the pipe.
    await rm(document);
    await promisify(execFile)('mkfifo', [document]);
    const stop = new AbortController();
    const left = fetch(`${extended.url}/files/a`, { signal: stop.signal }).catch(() => {});
    const deleted = storage(extended, 'batchDelete', { fileList: [] });
    await control(extended, 'GET', 'health');
    stop.abort();
    await left;
    await control(extended, 'GET', 'health');
    await writeFile(document, text);
    expect((await deleted).status).toBe(200);
    await expect.poll(() => calls().map(({ ms }) => typeof ms)).toEqual(['number', 'number']);
    const byPath = calls().toSorted((a, b) => a.target.localeCompare(b.target));
    expect(byPath).toMatchObject([{ body: '{"fileList":[]}' }, { status: undefined }]);
  });
});

// The conformance suite checks what the engine returns, rejections and CORS.
test.each<[Record<string, string>, number, object]>([
  [{ prefer: 'example=success' }, 200, { data: { acmeFileID: expect.any(String) } }],
  [{ 'x-mock-fault': 'code=SYS_ERR' }, 500, { code: 'SYS_ERR', message: expect.any(String) }],
  [{ prefer: 'code=429' }, 429, { code: 'EXCEED_RATELIMIT', message: expect.any(String) }],
])("%j gets the deployment's names and no envelope", async (headers, status, json) => {
  await using flat = await createMock({ wireProfile: { ...acme, envelope: 'flat' } });
  const credentials = { 'x-acme-authorization': '1.0 any', 'x-acme-timestamp': '1700000000' };
  const all = { ...credentials, ...headers };
  const reply = await storage(flat, 'getUploadMetaData', { path: 'a' }, all);
  expect(reply).toMatchObject({ status, json: { requestId: expect.any(String), ...json } });
  expect(reply.json).not.toHaveProperty('body');
});

test.each([
  ['code=204', 204, ''],
  ['code=403', 403, '<Code>AccessDenied</Code>'],
  ['code=503', 503, '<Code>SlowDown</Code>'],
  ['code=500, dynamic=true', 500, '<Error><Code>'],
])('Prefer: %s returns what is documented, and stores nothing', async (prefer, status, text) => {
  const grant = await getGrant(mock, 'a.txt');
  const form = new FormData();
  for (const [name, value] of Object.entries(toForm(grant, 'a.txt'))) form.append(name, value);
  form.append('file', new Blob(['x']), 'a.txt');
  const headers = { prefer, accept: 'application/json' };
  const response = await fetch(grant.url, { method: 'POST', headers, body: form });
  expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)]);
  expect([...response.headers.values()].join()).not.toContain('undefined');
  expect(mock.session().files.list()).toEqual([]);
});
