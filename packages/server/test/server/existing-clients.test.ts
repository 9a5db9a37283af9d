import { signStorageRequest } from '@berth/server-stubs/auth';
import { expect, test } from 'vitest';
import { startService } from './support/hosted-service.ts';
import { startServer } from './support/start-server.ts';

const PAIR = { id: 'me', secret: 'a secret' };

const start = (change: Parameters<typeof startServer>[0] = {}) =>
  startServer(change, { credentials: [PAIR] });

/** Calls a storage operation with the permanent key pair. */
async function post(url: string, operation: string, body: object, headers = {}) {
  const signed = signStorageRequest(PAIR, { timestamp: Math.floor(Date.now() / 1000) });
  const response = await fetch(`${url}/api/v2/envs/dev/storages:${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

const DELETE = { fileList: ['cloud://dev.files/none.txt'] };

test('a page sends headers of its SDK to services, and to the upload target', async () => {
  const { url } = await start();
  for (const path of ['/v1/cloudrun/hello/a', '/api/v2/envs/dev/storages:batchDelete', '/upload']) {
    const { headers } = await fetch(url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:5173',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-sdk-version,mcp-session-id',
      },
    });
    expect(headers.get('access-control-allow-headers')).toMatch(/, x-sdk-version, mcp-session-id$/);
  }
});

test('a POST without a body reaches the service', async () => {
  const service = await startService((request, response) => {
    response.end(`${request.method} ${request.headers['content-type']}`);
  });
  const { call } = await startServer({}, { services: { hello: { endpoints: [service] } } });
  const headers = { 'content-type': 'application/json' };
  expect(await (await call('/a', { method: 'POST', headers })).text()).toBe(
    'POST application/json',
  );
  expect(await (await call('/a', { method: 'POST' })).text()).toBe('POST undefined');
});

test.each(['', 'none'])(
  'the session token %j is sent beside a permanent key pair',
  async (token) => {
    const { url } = await start();
    const { status } = await post(url, 'batchDelete', DELETE, { 'x-svc-sessiontoken': token });
    expect(status).toBe(200);
  },
);

test('an uploader in a page reads the document of a 201', async () => {
  const { url } = await start();
  const { json } = await post(url, 'getUploadMetaData', { path: 'a & b.txt' });
  const { data } = (json as { body: { data: Record<string, string> } }).body;
  const form = new FormData();
  form.append('key', 'a & b.txt');
  form.append('Signature', data.authorization);
  form.append('x-store-security-token', data.token);
  form.append('x-store-meta-fileid', data.storeFileID);
  form.append('success_action_status', '201');
  form.append('file', new Blob(['abc']), 'a.txt');
  const response = await fetch(String(data.url), { method: 'POST', body: form });
  expect(response.status).toBe(201);
  expect(await response.text()).toMatch(
    /<PostResponse><Location>http.*\/a%20%26%20b\.txt<\/Location><Bucket>files<\/Bucket><Key>a &amp; b\.txt<\/Key><ETag>&quot;.+&quot;<\/ETag><\/PostResponse>$/,
  );
});

test('a client that reads flat responses gets them', async () => {
  const { url } = await start({ wireProfile: { envelope: 'flat' } });
  const requestId = expect.any(String);
  const data = { fileList: [expect.objectContaining({ code: 'STORAGE_FILE_NONEXIST' })] };
  expect((await post(url, 'batchDelete', DELETE)).json).toEqual({ requestId, data });
  expect((await post(url, 'batchDelete', {})).json).toEqual({
    requestId,
    code: 'INVALID_PARAM',
    message: expect.any(String),
  });
});
