import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { type CallOptions, call } from './helpers/call.ts';
import { BEARER, gateway, STORAGE_HEADERS, storage } from './helpers/calls.ts';
import { failOnWarnings } from './helpers/fail-on-warnings.ts';

const mock = await createMock();
afterAll(() => mock.close());

failOnWarnings();

describe('the gateway', () => {
  const SERVICE = '/v1/cloudrun/hello';
  const JSON_TYPE = { 'content-type': 'application/json' };

  test.each<[string, CallOptions, number, string, string]>([
    [
      'a name that is too short',
      { path: '/v1/cloudrun/h' },
      400,
      'INVALID_REQUEST',
      'path.name must not have fewer than 2 characters.',
    ],
    [
      'a wrong name',
      { path: '/v1/cloudrun/1hello' },
      400,
      'INVALID_REQUEST',
      'path.name must match',
    ],
    [
      'a name of 61',
      { path: `${SERVICE}${'o'.repeat(56)}` },
      400,
      'INVALID_REQUEST',
      '60 characters',
    ],
    ['a NUL name', { path: '/v1/cloudrun/a%00b' }, 400, 'INVALID_REQUEST', 'name must match'],
    [
      'a broken name',
      { path: '/v1/cloudrun/%zz' },
      400,
      'INVALID_REQUEST',
      'broken percent-encoding',
    ],
    [
      'dots',
      { path: `${SERVICE}/../x` },
      400,
      'INVALID_REQUEST',
      'A segment of the path is . or ..',
    ],
    ['encoded dots', { path: `${SERVICE}/a/%2E%2e` }, 400, 'INVALID_REQUEST', 'after decoding'],
    ['half dots', { path: `${SERVICE}/.%2e/x` }, 400, 'INVALID_REQUEST', 'resolve it'],
    ['a dot', { path: '/v1/cloudrun/.' }, 400, 'INVALID_REQUEST', 'name'],
    [
      'a slip',
      { path: '/v1/cloudrum/hello' },
      404,
      'INVALID_PATH',
      'Near it: /v1/cloudrun/{name}.',
    ],
    [
      'an unknown path',
      { path: '/some/where/else' },
      404,
      'INVALID_PATH',
      'is no path of this API.',
    ],
    ['a long path', { path: `/${'x'.repeat(5000)}` }, 404, 'INVALID_PATH', 'xx… is no path'],
    ['two slashes', { path: `/${SERVICE}` }, 404, 'INVALID_PATH', 'Near it'],
    ['no name', { path: '/v1/cloudrun/' }, 404, 'INVALID_PATH', 'Near it'],
    [
      'PUT',
      { method: 'PUT', path: SERVICE },
      405,
      'METHOD_NOT_ALLOWED',
      'PUT is not allowed here; use GET, POST, HEAD.',
    ],
    ['DELETE', { method: 'DELETE', path: `${SERVICE}/a` }, 405, 'METHOD_NOT_ALLOWED', 'DELETE'],
    [
      'a GET with a body',
      { path: SERVICE, headers: { 'content-length': 1 }, body: 'x' },
      400,
      'INVALID_REQUEST',
      'use POST',
    ],
    [
      'bad JSON',
      { method: 'POST', path: SERVICE, headers: JSON_TYPE, body: '{' },
      400,
      'INVALID_REQUEST',
      'The body is not valid JSON',
    ],
    [
      'no body',
      { method: 'POST', path: SERVICE, headers: JSON_TYPE },
      400,
      'INVALID_REQUEST',
      'The body is missing: send a JSON object.',
    ],
    [
      'an array',
      { method: 'POST', path: SERVICE, headers: JSON_TYPE, body: '[]' },
      400,
      'INVALID_REQUEST',
      'The body must be an object, got an array.',
    ],
    [
      'null',
      { method: 'POST', path: SERVICE, headers: JSON_TYPE, body: 'null' },
      400,
      'INVALID_REQUEST',
      'The body must be an object, got null.',
    ],
    [
      'zero of a problem type',
      {
        method: 'POST',
        path: SERVICE,
        headers: { 'content-type': 'application/problem+json; charset=utf-8' },
        body: '0',
      },
      400,
      'INVALID_REQUEST',
      'The body must be an object, got a number.',
    ],
  ])('%s', async (_, options, status, code, sentence) => {
    const reply = await gateway(mock, options);
    expect(reply).toMatchObject({ status, json: { code } });
    expect(reply.json.message).toContain(sentence);
    expect(reply.json.requestId).toBe(reply.headers['x-request-id']);
  });

  test('405 names the methods', async () => {
    const { headers } = await gateway(mock, { method: 'PATCH', path: SERVICE });
    expect(headers.allow).toBe('GET, POST, HEAD');
  });

  test('a body of another type passes, a compressed one too', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/octet-stream' },
      { 'content-type': 'nonsense' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ]) {
      const { status } = await gateway(mock, { method: 'POST', path: SERVICE, headers, body: '{' });
      expect(status).toBe(200);
    }
  });
});

describe('the storage API', () => {
  test.each<[string, string, unknown, string]>([
    [
      'a wrong type',
      'batchGetTempUrls',
      { fileList: [{ fileID: 1 }] },
      'fileList[0].fileID must be a string, got a number.',
    ],
    [
      'a wrong type, wrapped',
      'batchGetTempUrls',
      { data: { fileList: [{ fileID: null }] } },
      'fileList[0].fileID must be a string, got null.',
    ],
    [
      'a wrong maxAge',
      'batchGetTempUrls',
      { fileList: [{ fileID: 'a', maxAge: '1' }] },
      'fileList[0].maxAge must be a number, got a string.',
    ],
    [
      'a missing field',
      'batchCopyFile',
      { fileList: [{ srcPath: '/a', dstPath: '/b' }, { srcPath: '/a' }] },
      'fileList[1].dstPath is missing: it is required.',
    ],
    ['a missing path', 'getUploadMetaData', {}, 'path is missing: it is required.'],
    [
      'an object for a list',
      'batchDelete',
      { fileList: {} },
      'fileList must be an array, got an object.',
    ],
    [
      'an object for an ID',
      'batchDelete',
      { fileList: ['a', { fileID: 'a' }] },
      'fileList[1] must be a string, got an object.',
    ],
    [
      'a string for a boolean',
      'batchCopyFile',
      { fileList: [{ srcPath: '/a', dstPath: '/b', overwrite: 'no' }] },
      'fileList[0].overwrite must be a boolean, got a string.',
    ],
    [
      'two wrong fields',
      'batchCopyFile',
      { fileList: [{ srcPath: 1, dstPath: 2 }] },
      'fileList[0].srcPath must be a string, got a number. fileList[0].dstPath must be a string, got a number.',
    ],
    [
      'both forms at once',
      'batchDelete',
      { fileList: [], data: { fileList: [] } },
      'body.fileList stands beside body.data',
    ],
    ['a wrapper that is no object', 'batchDelete', { data: [] }, 'data must be an object'],
    ['an empty wrapper', 'batchDelete', { data: {} }, 'fileList is missing: it is required.'],
    ['an array', 'batchDelete', [], 'The body must be an object, got an array.'],
    ['no object', 'batchDelete', '"text"', 'The body must be an object, got a string.'],
    ['no body', 'batchDelete', '', 'The body is missing.'],
    ['bad JSON', 'batchDelete', '{"fileList": [', 'The JSON in the body cannot be parsed'],
    [
      'a key that reaches prototypes',
      'batchDelete',
      '{"__proto__": {"fileList": []}}',
      'The JSON in the body has the forbidden',
    ],
  ])('%s', async (_, operation, body, sentence) => {
    const { status, json } = await storage(mock, operation, body);
    expect(status).toBe(400);
    expect(json.body.code).toBe('INVALID_PARAM');
    expect(json.body.message).toContain(sentence);
  });

  test('bytes that are no UTF-8', async () => {
    const { json } = await call(mock, {
      method: 'POST',
      path: '/api/v2/envs/dev/storages:batchDelete',
      headers: STORAGE_HEADERS,
      body: Buffer.from('{"fileList":["\xff"]}', 'latin1'),
    });
    expect(json.body.message).toBe('The body is not UTF-8.');
  });

  test('deep JSON', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    for (const body of [deep, `{"fileList":[],"x":${deep}}`]) {
      const { status } = await storage(mock, 'batchDelete', body);
      expect(status).toBeLessThan(500);
    }
  });

  test.each(['text/plain', 'application/jsonx', ''])('content type "%s"', async (type) => {
    const headers = { 'content-type': type };
    const { status, json } = await storage(mock, 'batchDelete', { fileList: [] }, headers);
    expect(status).toBe(415);
    expect(json.body.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(json.body.message).toContain('application/json');
  });

  test('a charset is no other content type', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await storage(mock, 'batchDelete', { fileList: [] }, headers)).status).toBe(200);
  });

  test.each([
    ['x-svc-authorization', '', 'The header X-Svc-Authorization is missing.'],
    ['x-svc-timestamp', '', 'The header X-Svc-TimeStamp must be a time in whole seconds'],
    ['x-svc-timestamp', 'soon', 'The header X-Svc-TimeStamp must be a time in whole seconds'],
    ['x-svc-timestamp', '1700000000000', 'in whole seconds'],
  ])('%s: "%s"', async (name, value, sentence) => {
    const { status, json } = await storage(
      mock,
      'batchDelete',
      { fileList: [] },
      { [name]: value },
    );
    expect(status).toBe(401);
    expect(json.body.code).toBe('SIGN_PARAM_INVALID');
    expect(json.body.message).toContain(sentence);
  });

  test('the session token may be absent', async () => {
    const { 'x-svc-sessiontoken': _, ...headers } = STORAGE_HEADERS;
    const path = '/api/v2/envs/dev/storages:batchDelete';
    const reply = await call(mock, { method: 'POST', path, headers, body: '{"fileList":[]}' });
    expect(reply.status).toBe(200);
  });

  test.each([
    ['/api/v2/envs/dev/storages:batchDeleteXYZ', 'storages:batchDelete.'],
    ['/api/v2/envs/dev/storages:batchdelete', 'storages:batchDelete.'],
    ['/api/v2/envs/dev/storages:batchDelete/', 'storages:batchDelete.'],
    ['/api/v2/envs/dev', 'is no path of this API.'],
    ['/api', 'is no path of this API.'],
  ])('%s is no operation', async (path, sentence) => {
    const reply = await call(mock, { method: 'POST', path, headers: STORAGE_HEADERS, body: '{}' });
    expect(reply).toMatchObject({ status: 404, json: { statusCode: 404 } });
    expect(reply.json.body.code).toBe('NOT_FOUND');
    expect(reply.json.body.message).toContain(sentence);
  });

  test.each(['GET', 'PUT'])('%s is refused', async (method) => {
    const path = '/api/v2/envs/dev/storages:batchDelete';
    const reply = await call(mock, { method, path, headers: STORAGE_HEADERS });
    expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(reply.json.body.code).toBe('METHOD_NOT_ALLOWED');
  });

  test('another environment is refused', async () => {
    const path = '/api/v2/envs/prod/storages:batchDelete';
    const body = '{"fileList":[]}';
    const reply = await call(mock, { method: 'POST', path, headers: STORAGE_HEADERS, body });
    expect(reply.status).toBe(404);
    expect(reply.json.body.code).toBe('INVALID_ENV');
  });
});

describe('a body over the limit', () => {
  const SURFACES = [
    ['gateway', '/v1/cloudrun/hello', BEARER, 20_971_520],
    ['storage', '/api/v2/envs/dev/storages:batchDelete', STORAGE_HEADERS, 1_048_576],
  ] as const;

  test.each(SURFACES)('%s: announced', async (_, path, headers, limit) => {
    const outgoing = request(mock.url, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers, 'content-length': limit + 1 },
    });
    outgoing.flushHeaders();
    await expectTooLarge(outgoing, limit);
  });

  test.each(SURFACES)('%s: chunked', async (_, path, headers, limit) => {
    const outgoing = request(mock.url, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
    });
    outgoing.write(Buffer.alloc(limit, ' '));
    outgoing.write(' ');
    await expectTooLarge(outgoing, limit);
  });

  test.each(['/nowhere', '/api/v2/envs/dev/storages:batchDelete'])(
    'a large body to %s, refused while it is sent, does not lose its answer',
    async (path) => {
      const headers = { ...STORAGE_HEADERS, 'transfer-encoding': 'chunked' };
      const body = Buffer.alloc(30_000_000, ' ');
      const { status } = await call(mock, { method: 'POST', path, headers, body });
      expect([404, 413]).toContain(status);
    },
  );

  async function expectTooLarge(outgoing: ReturnType<typeof request>, limit: number) {
    const [response] = await once(outgoing, 'response');
    const text = (await buffer(response)).toString();
    outgoing.destroy();
    expect(response.statusCode).toBe(413);
    expect(text).toContain('EXCEED_MAX_PAYLOAD_SIZE');
    expect(text).toContain(`${limit} bytes`);
  }
});
