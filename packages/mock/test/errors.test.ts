import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { type CallOptions, call } from './helpers/call.ts';
import { gateway, STORAGE_HEADERS, storage } from './helpers/calls.ts';

const mock = await createMock();
afterAll(() => mock.close());

describe('the gateway', () => {
  const SERVICE = '/v1/cloudrun/hello';

  const post = (body: string, type = 'application/json'): CallOptions => ({
    method: 'POST',
    path: SERVICE,
    headers: { 'content-type': type },
    body,
  });

  test.each<[string, CallOptions, string]>([
    ['an invalid name', { path: '/v1/cloudrun/1hello' }, 'path.name must match'],
    ['dots', { path: `${SERVICE}/../x` }, 'The path contains a . or .. segment'],
    ['bad JSON', post('{'), 'The body is not valid JSON'],
    ['an array', post('[]'), 'The body must be an object, got an array.'],
    ['zero of a problem type', post('0', 'application/problem+json; charset=utf-8'), 'a number.'],
  ])('%s', async (_, options, sentence) => {
    const reply = await gateway(mock, options);
    expect(reply).toMatchObject({ status: 400, json: { code: 'INVALID_REQUEST' } });
    expect(reply.json.message).toContain(sentence);
    expect(reply.json.requestId).toBe(reply.headers['x-request-id']);
  });

  test.each([
    ['/v1/cloudrum/hello', 'Similar paths: /v1/cloudrun/{name}.'],
    ['/some/where/else', '/some/where/else is not a path of this API.'],
    [`/${'x'.repeat(5000)}`, 'xx… is not a path'],
  ])('the path %.30s is unknown', async (path, sentence) => {
    const reply = await gateway(mock, { path });
    expect(reply).toMatchObject({ status: 404, json: { code: 'INVALID_PATH' } });
    expect(reply.json.message).toContain(sentence);
  });

  test.each([
    ['with Content-Type: application/json', { 'content-type': 'application/json' }],
    ['without Content-Type', {}],
    ['in chunks, of which there are none', { 'transfer-encoding': 'chunked' }],
  ])('accepts a POST without a body %s', async (_, headers) => {
    for (const path of [SERVICE, `${SERVICE}/a`, '/v1/cloudrun/orders/a']) {
      const { status, json } = await gateway(mock, { method: 'POST', path, headers });
      expect([status, json.code]).toEqual([200, undefined]);
    }
  });
});

describe('the storage API', () => {
  const [URLS, COPY, DELETE] = ['batchGetTempUrls', 'batchCopyFile', 'batchDelete'] as const;
  const item = { srcPath: '/a', dstPath: '/b' };
  const first = (value: object) => ({ fileList: [value] });
  const both = 'srcPath must be a string, got a number. fileList[0].dstPath must be a string';

  test.each<[string, unknown, string]>([
    [URLS, first({ fileID: 1 }), 'fileList[0].fileID must be a string, got a number.'],
    [URLS, first({ fileID: 'a', maxAge: '1' }), 'fileList[0].maxAge must be a number, got a str'],
    [COPY, { fileList: [item, { srcPath: '/a' }] }, 'fileList[1].dstPath is required.'],
    [COPY, first({ srcPath: 1, dstPath: 2 }), both],
    ['getUploadMetaData', {}, 'path is required.'],
    [DELETE, { fileList: {} }, 'fileList must be an array, got an object.'],
    [DELETE, { fileList: [], data: { fileList: [] } }, 'body.fileList and body.data are both set'],
    [DELETE, '', 'The request body is missing.'],
  ])('%s of %j', async (operation, body, sentence) => {
    const { status, json } = await storage(mock, operation, body);
    expect(status).toBe(400);
    expect(json.body.code).toBe('INVALID_PARAM');
    expect(json.body.message).toContain(sentence);
  });

  test('an empty signature is named as missing', async () => {
    const empty = { 'x-svc-authorization': '' };
    const { status, json } = await storage(mock, 'batchDelete', { fileList: [] }, empty);
    expect([status, json.body.code]).toEqual([401, 'SIGN_PARAM_INVALID']);
    expect(json.body.message).toContain('The X-Svc-Authorization header is missing.');
  });

  test.each([
    ['/api/v2/envs/dev/storages:batchDeleteXYZ', 'storages:batchDelete.'],
    ['/api/v2/envs/dev', 'is not a path of this API.'],
  ])('%s is not an operation', async (path, sentence) => {
    const reply = await call(mock, { method: 'POST', path, headers: STORAGE_HEADERS, body: '{}' });
    expect(reply).toMatchObject({ status: 404, json: { statusCode: 404 } });
    expect(reply.json.body.code).toBe('NOT_FOUND');
    expect(reply.json.body.message).toContain(sentence);
  });
});
