import {
  createStorageRouter,
  type StorageCredentials,
  StorageError,
  type StorageHandlers,
} from '@berth/server-stubs';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

type Options = Partial<Parameters<typeof createStorageRouter<StorageCredentials>>[1]>;

const letIn = {
  'content-type': 'application/json',
  'x-svc-authorization': '1.0 TC3-HMAC-SHA256 Credential=x',
  'x-svc-sessiontoken': 'session',
  'x-svc-timestamp': '1700000000',
};
const security = { credentials: (given: StorageCredentials) => given };
const path = (operation: string, env = 'dev') => `/api/v2/envs/${env}/storages:${operation}`;

const handlers: StorageHandlers<StorageCredentials> = {
  batchDelete: ({ fileList }) => ({
    fileList: fileList.map((fileID) => ({ fileID, code: 'SUCCESS' })),
  }),
  getUploadMetaData: async ({ path: key }, { envId, caller }) => ({
    url: 'https://upload.example/',
    token: caller.sessionToken,
    authorization: caller.authorization,
    fileID: `cloud://${envId}.files/${key}`,
    storeFileID: String(caller.timestamp),
  }),
};

const storage = (options: Options = {}, given = handlers) =>
  serve(createStorageRouter(given, { security, ...options }));

const post = (base: string, operation: string, body: unknown, headers: object = letIn) =>
  send(base, path(operation), {
    method: 'POST',
    headers: headers as typeof letIn,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('a response', () => {
  test.each([[{ fileList: ['a', 'b'] }], [{ data: { fileList: ['a', 'b'] } }]])(
    'comes in the envelope, whatever the form of the request: %j',
    async (body) => {
      const response = await post(await storage(), 'batchDelete', body);
      expect(response.status).toBe(200);
      expect(response.json).toEqual({
        statusCode: 200,
        body: {
          requestId: response.headers['x-request-id'],
          data: {
            fileList: [
              { fileID: 'a', code: 'SUCCESS' },
              { fileID: 'b', code: 'SUCCESS' },
            ],
          },
        },
      });
      expect(response.headers).toMatchObject({
        'content-type': 'application/json',
        'access-control-allow-origin': '*',
      });
    },
  );

  test('knows the caller and the environment', async () => {
    const { json } = await post(await storage(), 'getUploadMetaData', { path: 'a.txt' });
    expect(json).toMatchObject({
      body: {
        data: {
          token: 'session',
          authorization: letIn['x-svc-authorization'],
          storeFileID: '1700000000',
          fileID: 'cloud://dev.files/a.txt',
        },
      },
    });
  });
});

describe('a refusal', () => {
  const refused = (status: number, code: string) => ({
    status,
    json: { statusCode: status, body: { code, message: expect.any(String) } },
  });

  test.each([
    [{ fileList: 'all' }, /fileList/],
    [{}, /fileList/],
    [{ fileList: [1] }, /fileList\[0\]/],
    [{ fileList: [], data: { fileList: [] } }, /data/],
    ['{"fileList": [', /JSON/],
    ['', /body/],
    [[], /./],
  ])('names what is wrong with %j', async (body, message) => {
    const response = await post(await storage(), 'batchDelete', body);
    expect(response).toMatchObject(refused(400, 'INVALID_PARAM'));
    expect(response.text).toMatch(message);
  });

  test('is 415 for another content type', async () => {
    const headers = { ...letIn, 'content-type': 'text/plain' };
    const response = await post(await storage(), 'batchDelete', '{}', headers);
    expect(response).toMatchObject(refused(415, 'UNSUPPORTED_MEDIA_TYPE'));
  });

  test('is 413 for a body beyond the limit', async () => {
    const base = await storage({ requests: { bodyBytes: 10 } });
    const response = await post(base, 'batchDelete', { fileList: ['abcdef'] });
    expect(response).toMatchObject(refused(413, 'EXCEED_MAX_PAYLOAD_SIZE'));
  });

  test('is INVALID_PARAM for too many items', async () => {
    const list = (length: number) => ({ fileList: Array.from({ length }, () => 'a') });
    expect((await post(await storage(), 'batchDelete', list(50))).status).toBe(200);
    const response = await post(await storage(), 'batchDelete', list(51));
    expect(response).toMatchObject(refused(400, 'INVALID_PARAM'));
    const base = await storage({ batchItems: 1 });
    expect((await post(base, 'batchDelete', list(2))).text).toContain('at most 1');
  });

  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('is 405 for %s', async (method) => {
    const response = await send(await storage(), path('batchDelete'), { method });
    expect(response.status).toBe(405);
    expect(response.headers.allow).toContain('POST');
  });

  test.each([
    path('batchRename'),
    '/api/v2/envs/dev',
    '/api/v2/envs//storages:batchDelete',
    '/api/v2/envs/dev/storages:batchDeleteXYZ',
  ])('is 404 for %s', async (unknown) => {
    const response = await send(await storage(), unknown, { method: 'POST', headers: letIn });
    expect(response).toMatchObject(refused(404, 'NOT_FOUND'));
  });

  test('is 501 for an operation without a handler', async () => {
    const response = await post(await storage(), 'batchCopyFile', { fileList: [] });
    expect(response).toMatchObject(refused(501, 'SYS_ERR'));
  });

  test('is INVALID_ENV for another environment', async () => {
    const sent = { method: 'POST', headers: letIn, body: '{"fileList":[]}' };
    const base = await storage({ env: 'dev' });
    const response = await send(base, path('batchDelete', 'prod'), sent);
    expect(response).toMatchObject(refused(404, 'INVALID_ENV'));
    const open = await storage({ env: (env) => env !== 'test' });
    expect((await send(open, path('batchDelete', 'prod'), sent)).status).toBe(200);
  });
});

describe('credentials', () => {
  test('are checked for the environment that the handler then acts on, however it is spelt', async () => {
    const judged: string[] = [];
    const base = await storage(
      {
        security: {
          credentials(given, { envId }) {
            judged.push(envId);
            return given;
          },
        },
      },
      handlers,
    );
    const target = '/%61pi/v2/%65nvs/d%65v/storages:getUploadMetaData';
    const sent = { method: 'POST', headers: letIn, body: '{"path":"a"}' };
    const { json } = await send(base, target, sent);
    expect(judged).toEqual(['dev']);
    expect(json).toMatchObject({ body: { data: { fileID: 'cloud://dev.files/a' } } });
  });

  const refusal = { status: 401, json: { body: { code: 'SIGN_PARAM_INVALID' } } };

  test.each([
    ['x-svc-authorization', undefined, 'X-Svc-Authorization'],
    ['x-svc-timestamp', undefined, 'X-Svc-TimeStamp'],
    ['x-svc-timestamp', 'noon', 'X-Svc-TimeStamp'],
  ])('%s: %s is refused by its name', async (name, value, shown) => {
    const headers = Object.fromEntries(
      Object.entries({ ...letIn, [name]: value }).filter(([, given]) => given !== undefined),
    );
    const response = await post(await storage(), 'batchDelete', { fileList: [] }, headers);
    expect(response).toMatchObject(refusal);
    expect(response.text).toContain(shown);
  });

  test('the session token may be missing', async () => {
    const { 'x-svc-sessiontoken': _, ...headers } = letIn;
    const { json } = await post(await storage(), 'getUploadMetaData', { path: 'a' }, headers);
    expect(json).toMatchObject({ body: { data: { token: '' } } });
  });

  test('are checked before the body is read, and rejected in the envelope', async () => {
    const base = await storage({ security: { credentials: () => false } });
    expect(await post(base, 'batchDelete', '{')).toMatchObject(refusal);
    const other: Options['security'] = {
      credentials(_, { envId }) {
        throw new StorageError('STORAGE_EXCEED_AUTHORITY', { message: `Not for ${envId}.` });
      },
    };
    const response = await post(await storage({ security: other }), 'batchDelete', {
      fileList: [],
    });
    expect(response.status).toBe(403);
    expect(response.text).toContain('Not for dev.');
  });
});

test('an error of your own is SYS_ERR, and its text stays here', async () => {
  const base = await storage(
    { onError: () => {} },
    { batchDelete: () => Promise.reject(new Error('secret')) },
  );
  const { status, json } = await post(base, 'batchDelete', { fileList: [] });
  const message = 'The call failed. Try again, or report the request ID to the operator.';
  expect([status, json]).toMatchObject([500, { body: { code: 'SYS_ERR', message } }]);
});

test('a wire profile renames headers and the field of the upload metadata', async () => {
  const base = await storage({ wireProfile: acme });
  const headers = {
    'content-type': 'application/json',
    'x-acme-authorization': 'a',
    'x-acme-timestamp': '1700000000',
  };
  const { status, json } = await post(base, 'getUploadMetaData', { path: 'a.txt' }, headers);
  expect(status).toBe(200);
  expect(json).toMatchObject({ body: { data: { acmeFileID: '1700000000' } } });
  expect(json).not.toHaveProperty('body.data.storeFileID');
  expect((await post(base, 'getUploadMetaData', { path: 'a.txt' })).status).toBe(401);
  const preflight = await send(base, path('batchDelete'), { method: 'OPTIONS' });
  expect(preflight.headers['access-control-allow-headers']).toContain('X-Acme-Authorization');
});

test('routes of an edited document replace those of the contract', async () => {
  const route = {
    operationId: 'batchDelete',
    method: 'POST',
    path: '/api/v3/{envId}/delete',
    parameters: [],
    body: { required: true, content: [{ mediaType: 'application/json', kind: 'json' }] },
    responses: [{ status: '200', content: [{ mediaType: 'application/json', kind: 'json' }] }],
    security: [],
  } as const;
  const routes = { title: 'Draft', securitySchemes: {}, routes: [route] };
  const { batchDelete = () => ({ fileList: [] }) } = handlers;
  const base = await storage({ routes }, { batchDelete });
  const body = JSON.stringify({ fileList: ['a'] });
  const response = await send(base, '/api/v3/dev/delete', { method: 'POST', headers: letIn, body });
  expect(response.status).toBe(200);
  expect((await post(base, 'batchDelete', { fileList: ['a'] })).status).toBe(404);
});

test('a call that has an identifier already keeps it, and any other gets a new one', async () => {
  const base = await storage({ requestId: ({ headers }) => headers['x-trace'] as string });
  const ask = (headers: object) => post(base, 'batchDelete', { fileList: ['a'] }, headers);
  const known = await ask({ ...letIn, 'x-trace': 'trace-1' });
  expect(known.headers['x-request-id']).toBe('trace-1');
  expect(known.json).toMatchObject({ body: { requestId: 'trace-1' } });
  expect((await ask(letIn)).headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
});
