import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createApp } from '../src/app.ts';

process.env.DEV_TOKEN = 'token-of-the-test';
const server = createServer(createApp('dev'));
let base = '';

before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const storage = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${base}/api/v2/envs/dev/storages:batchDelete`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const letIn = { 'x-svc-authorization': 'token-of-the-test', 'x-svc-timestamp': '1700000000' };

test('a call to a hosted service needs a token', async () => {
  const refused = await fetch(`${base}/v1/cloudrun/hello`);
  assert.equal(refused.status, 401);
  const response = await fetch(`${base}/v1/cloudrun/hello`, {
    headers: { authorization: 'Bearer token-of-the-test' },
  });
  assert.notEqual(response.status, 401);
  assert.ok(response.headers.get('x-request-id'));
});

test('a storage call needs credentials', async () => {
  const response = await storage({ fileList: [] });
  assert.equal(response.status, 401);
  const { body } = (await response.json()) as { body: { code: string } };
  assert.equal(body.code, 'SIGN_PARAM_INVALID');
});

test('a storage call gets a response in the envelope', async () => {
  const response = await storage({ fileList: [] }, letIn);
  assert.equal(response.status, 200);
  const { statusCode, body } = (await response.json()) as { statusCode: number; body: object };
  assert.equal(statusCode, 200);
  assert.ok('data' in body);
});

test('a request with an invalid field is refused, and the error names the field', async () => {
  const response = await storage({ fileList: 'all' }, letIn);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /fileList/);
});

test('an upload without a grant is refused with an XML error', async () => {
  const form = new FormData();
  form.append('key', 'a.txt');
  form.append('file', new Blob(['hello']), 'a.txt');
  const response = await fetch(`${base}/upload`, { method: 'POST', body: form });
  assert.equal(response.status, 403);
  assert.match(await response.text(), /<Error><Code>AccessDenied</);
});
