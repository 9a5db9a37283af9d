import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';
import { gateway, STORAGE_HEADERS, storage } from './helpers/calls.ts';

const mock = await createMock();
afterAll(() => mock.close());

describe('the gateway', () => {
  const SERVICE = '/v1/cloudrun/hello';

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
