import {
  createStorageRouter,
  type StorageCredentials,
  type StorageHandlers,
} from '@berth/server-stubs';
import { expect, test, vi } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

type Options = Partial<Parameters<typeof createStorageRouter<StorageCredentials>>[1]>;

const HEADERS = {
  'content-type': 'application/json',
  'x-svc-authorization': '1.0 TC3-HMAC-SHA256 Credential=x',
  'x-svc-sessiontoken': 'session',
  'x-svc-timestamp': '1700000000',
};
const security = { credentials: (credentials: StorageCredentials) => credentials };
const path = (operation: string, env = 'dev') => `/api/v2/envs/${env}/storages:${operation}`;

const handlers: StorageHandlers<StorageCredentials> = {
  batchDelete: ({ fileList }) => ({
    fileList: fileList.map((fileID) => ({ fileID, code: 'SUCCESS' })),
  }),
  getUploadMetaData: async ({ path: key }, { env, caller }) => ({
    url: 'https://upload.example/',
    token: caller.sessionToken,
    authorization: caller.authorization,
    fileID: `cloud://${env}.files/${key}`,
    storeFileID: String(caller.timestamp),
  }),
};

const storage = (options: Options = {}, implemented = handlers) =>
  serve(createStorageRouter(implemented, { security, ...options }));

const post = (base: string, operation: string, body: unknown, headers: object = HEADERS) =>
  send(base, path(operation), {
    method: 'POST',
    headers: headers as typeof HEADERS,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('credentials are checked for the environment that the handler acts on, however it is spelt', async () => {
  const checked: string[] = [];
  const authenticate = (credentials: StorageCredentials, { env }: { env: string }) => {
    checked.push(env);
    return credentials;
  };
  const base = await storage({ security: { credentials: authenticate } });
  const target = '/%61pi/v2/%65nvs/d%65v/storages:getUploadMetaData';
  const sent = { method: 'POST', headers: HEADERS, body: '{"path":"a"}' };
  const { json } = await send(base, target, sent);
  expect(checked).toEqual(['dev']);
  expect(json).toMatchObject({ body: { data: { fileID: 'cloud://dev.files/a' } } });
});

test('credentials and the environment are checked before the body is read, in this order', async () => {
  const known = await storage({ env: 'prod' });
  expect(await post(known, 'batchDelete', '{')).toMatchObject({
    status: 404,
    json: { body: { code: 'INVALID_ENV' } },
  });
  const rejecting = await storage({ env: 'prod', security: { credentials: () => undefined } });
  expect(await post(rejecting, 'batchDelete', '{')).toMatchObject({
    status: 401,
    json: { body: { code: 'SIGN_PARAM_INVALID' } },
  });
});

test('handlers may be the methods of a class', async () => {
  class Files implements StorageHandlers<StorageCredentials> {
    readonly code = 'SUCCESS';
    batchDelete({ fileList }: { fileList: string[] }) {
      return { fileList: fileList.map((fileID) => ({ fileID, code: this.code })) };
    }
  }
  const response = await post(await storage({}, new Files()), 'batchDelete', { fileList: ['a'] });
  expect(response.json).toMatchObject({
    body: { data: { fileList: [{ fileID: 'a', code: 'SUCCESS' }] } },
  });
});

test('with responses: check, a wrong response is a 500, and the log names operation and field', async () => {
  const onError = vi.fn();
  const wrong = { batchDelete: () => ({ fileList: [{ fileID: 1 }] }) } as never;
  const base = await storage({ responses: 'check', onError }, wrong);
  const { status, json } = await post(base, 'batchDelete', { fileList: ['a'] });
  expect([status, json]).toMatchObject([500, { body: { code: 'SYS_ERR' } }]);
  const [error, call] = onError.mock.calls[0] ?? [];
  expect(call.operationId).toBe('batchDelete');
  expect(error.message).toMatch(/data\.fileList\[0\]\.code is missing/);
});
