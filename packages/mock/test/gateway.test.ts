import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';
import { BEARER, gateway, gatewayPost } from './helpers/calls.ts';

const mock = await createMock();
afterAll(() => mock.close());

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const TC3 =
  'TC3-HMAC-SHA256 Credential=id/2023-11-14/svc/tc3_request,SignedHeaders=host, Signature=00, Timestamp=1700000000';

describe('routing', () => {
  test.each([
    '/v1/cloudrun/hello',
    '/v1/cloudrun/hello/',
    '/v1/cloudrun/hello?x=1',
    '/v1/cloudrun/hello/a',
    '/v1/cloudrun/hello/a/b?x=1',
    '/v1/cloudrun/hello//a//',
    '/v1/cloudrun/hello/a%2Fb/%zz/%00?%zz',
    '/v1/cloudrun/hello/a,b;c=d/{x}/$&',
    '/v1/cloudrun/hell%6F/%E4%B8%AD',
    '/v1/cloudrun/hello/...',
  ])('GET and POST %s reach the service', async (path) => {
    const got = await gateway(mock, { path });
    const posted = await gatewayPost(mock, path, { any: ['thing'] });
    expect([got.status, posted.status]).toEqual([200, 200]);
    expect(got.json).toEqual(posted.json);
  });

  test('an absolute-form target names the host itself', async () => {
    const { status } = await gateway(mock, { path: 'http://dev.any.example/v1/cloudrun/hello' });
    expect(status).toBe(200);
  });
});

describe('services', () => {
  test('services of any name exist unless some are configured', async () => {
    expect((await gateway(mock, { path: '/v1/cloudrun/any-name' })).status).toBe(200);
  });

  test('only configured services exist', async () => {
    await using small = await createMock({ services: ['hello', 'echo'] });
    const paths = [
      '/v1/cloudrun/echo/a',
      '/v1/cloudrun/hell%6F',
      '/v1/cloudrun/other',
      '/v1/cloudrun/1',
    ];
    const responses = await Promise.all(paths.map((path) => gateway(small, { path })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 400]);
    expect(responses[2]?.json).toMatchObject({
      code: 'SERVICE_NOT_FOUND',
      message: 'The hosted service other does not exist; this mock has: hello, echo.',
    });
  });
});

describe('headers', () => {
  test('every response has its own request ID', async () => {
    const first = await gateway(mock, { path: '/v1/cloudrun/hello' });
    const second = await gateway(mock, { path: '/v1/cloudrun/1' });
    const preflight = await call(mock, { method: 'OPTIONS', path: '/v1/cloudrun/hello' });
    const ids = [first, second, preflight].map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(UUID);
    expect(second.json.requestId).toBe(ids[1]);
  });

  test("the service's status is on its responses, not on gateway errors", async () => {
    const response = await gateway(mock, { path: '/v1/cloudrun/hello' });
    const error = await gateway(mock, {
      path: '/v1/cloudrun/hello',
      headers: { prefer: 'code=404' },
    });
    expect(response.headers['x-svc-upstream-status-code']).toBe('200');
    expect(error.headers).not.toHaveProperty('x-svc-upstream-status-code');
  });
});

describe('a WebSocket upgrade', () => {
  const upgrade = { connection: 'Upgrade', upgrade: 'WebSocket' };

  test('is refused with a message if none is defined', async () => {
    const headers = {
      ...upgrade,
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    const reply = await gateway(mock, { path: '/v1/cloudrun/other/a', headers });
    expect(reply).toMatchObject({ status: 501, json: { code: 'SYS_ERR' } });
    expect(reply.json.message).toContain(
      'This mock does not define a WebSocket for the service other',
    );
    expect(reply.headers['x-request-id']).toBe(reply.json.requestId);
  });

  test('needs credentials like any call', async () => {
    const reply = await call(mock, { path: '/v1/cloudrun/hello', headers: upgrade });
    expect(reply).toMatchObject({ status: 401, json: { code: 'MISSING_CREDENTIALS' } });
  });

  test('is not opened for another protocol', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'h2c' };
    expect((await gateway(mock, { path: '/v1/cloudrun/hello', headers })).status).toBe(200);
  });
});

describe('Prefer and Accept', () => {
  const ask = (headers: Record<string, string>) =>
    gateway(mock, { path: '/v1/cloudrun/hello', headers });

  test.each([
    ['code=403', 403, 'SERVICE_FORBIDDEN'],
    ['code=404', 404, 'SERVICE_NOT_FOUND'],
    ['code=504, example=SERVICE_TIMEOUT', 504, 'SERVICE_TIMEOUT'],
  ])('Prefer: %s returns the example', async (prefer, status, code) => {
    const reply = await ask({ prefer });
    expect(reply).toMatchObject({ status, json: { code } });
    expect(reply.json.requestId).toBe(reply.headers['x-request-id']);
  });

  test.each([
    [400, 'INVALID_HOST', undefined],
    [401, 'MISSING_CREDENTIALS', undefined],
    [402, 'SERVICE_CHARGE_OVERDUE', undefined],
    [429, 'EXCEED_RATELIMIT', '1'],
    [502, 'SERVICE_LB_STATUS_ABNORMAL', undefined],
    [503, 'SERVICE_NOT_READY', '1'],
  ])('Prefer: code=%i returns an error with this status', async (status, code, retryAfter) => {
    const reply = await ask({ prefer: `code=${status}` });
    expect(reply).toMatchObject({ status, json: { code } });
    expect(reply.headers['retry-after']).toBe(retryAfter);
    expect(reply.headers).not.toHaveProperty('x-svc-upstream-status-code');
  });

  test('an example has Retry-After only if its code does', async () => {
    const timeout = await ask({ prefer: 'code=504, example=SERVICE_TIMEOUT' });
    expect(timeout.headers).not.toHaveProperty('retry-after');
    const starting = await ask({ prefer: 'code=503, example=SERVICE_NOT_READY' });
    expect(starting.headers['retry-after']).toBe('1');
  });

  test.each([201, 204, 302, 304, 418, 505])(
    'Prefer: code=%i has no response in the contract',
    async (code) => {
      const reply = await ask({ prefer: `code=${code}` });
      expect(reply).toMatchObject({ status: 404, json: { code: 'INVALID_REQUEST' } });
      expect(reply.json.message).toContain('no response with the status');
      expect(reply.json.message).toContain('use 200, 400, 401, 402, 403, 404, 405, 413, 429, 5');
    },
  );

  test('dynamic=true generates the response from its schema, the same one for the same seed', async () => {
    const prefer = 'code=404, dynamic=true, seed=a';
    const [first, second] = [await ask({ prefer }), await ask({ prefer })];
    expect(first.status).toBe(404);
    expect(first.json.code).not.toBe('SERVICE_NOT_FOUND');
    expect({ ...first.json, requestId: '' }).toEqual({ ...second.json, requestId: '' });
  });

  test.each([
    ['code=99', 'code in the Prefer header must be a status from 200 to 599'],
    ['code=101', 'code in the Prefer header'],
    ['code', 'code in the Prefer header'],
    ['code=4O4', 'code in the Prefer header'],
    ['dynamic=maybe', 'dynamic in the Prefer header must be true or false'],
    ['example', 'example in the Prefer header must have a name'],
  ])('rejects Prefer: %s', async (prefer, sentence) => {
    const reply = await ask({ prefer });
    expect(reply).toMatchObject({ status: 400, json: { code: 'INVALID_REQUEST' } });
    expect(reply.json.message).toContain(sentence);
  });

  test.each(['example=nope', 'code=403, example=nope'])(
    'Prefer: %s names no example in the contract',
    async (prefer) => {
      const reply = await ask({ prefer });
      expect(reply).toMatchObject({ status: 404, json: { code: 'INVALID_REQUEST' } });
      expect(reply.json.message).toContain('Prefer');
    },
  );

  test.each([
    ['*/*', 'application/json'],
    ['text/html, */*;q=0.8', 'application/json'],
    ['text/plain', 'text/plain'],
    ['text/plain;q=0.5, text/event-stream', 'text/event-stream'],
    ['nonsense', 'application/json'],
    ['nonsense, text/plain; level, text/plain', 'text/plain'],
  ])('Accept: %s returns %s', async (accept, contentType) => {
    const { status, headers } = await ask({ accept });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(contentType);
  });

  test('the events of an example are resumed, and end', async () => {
    const [first, rest, end] = await Promise.all(
      ['', '1', '2'].map((id) => ask({ accept: 'text/event-stream', 'last-event-id': id })),
    );
    expect(first?.text.match(/^id: .$/gm)).toEqual(['id: 1', 'id: 2']);
    expect(rest?.text).toBe(first?.text.slice(first.text.indexOf('id: 2')));
    expect(end).toMatchObject({ status: 204, text: '' });
  });

  test('without Accept the response is JSON', async () => {
    const { headers, json } = await ask({});
    expect(headers['content-type']).toBe('application/json');
    expect(json).toBeTypeOf('object');
  });

  test('a type that the contract does not document gets a 406', async () => {
    const reply = await ask({ accept: 'image/png' });
    expect(reply).toMatchObject({ status: 406, json: { code: 'INVALID_REQUEST' } });
    expect(reply.json.message).toContain('Accept');
  });
});

describe('credentials', () => {
  test.each(['Bearer any', 'bearer any', TC3])('%s is sufficient', async (authorization) => {
    const { status } = await call(mock, { path: '/v1/cloudrun/hello', headers: { authorization } });
    expect(status).toBe(200);
  });

  test.each([
    ['', 'INVALID_CREDENTIALS'],
    ['Bearer', 'INVALID_CREDENTIALS'],
    ['Bearer two words', 'INVALID_CREDENTIALS'],
    ['Basic YTpi', 'INVALID_CREDENTIALS'],
    ['TC3-HMAC-SHA256 Credential=a', 'INVALID_CREDENTIALS'],
  ])('"%s" is rejected and not repeated', async (authorization, code) => {
    const reply = await call(mock, { path: '/v1/cloudrun/hello', headers: { authorization } });
    expect(reply).toMatchObject({ status: 401, json: { code } });
    expect(reply.json.message).toContain('Authorization');
    expect(reply.text).not.toContain('YTpi');
  });
});

describe('environment', () => {
  test.each([
    'localhost',
    'LOCALHOST:80',
    '127.0.0.1',
    '127.8.8.8:1',
    '[::1]:80',
    'dev.gateway.example',
    'DEV.localhost',
  ])('the host %s is the dev environment', async (host) => {
    const { status } = await gateway(mock, { path: '/v1/cloudrun/hello', headers: { host } });
    expect(status).toBe(200);
  });

  test.each(['prod.gateway.example', 'devs.example', '10.0.0.1', 'a b'])(
    'the host "%s" is another environment',
    async (host) => {
      const reply = await gateway(mock, { path: '/v1/cloudrun/hello', headers: { host } });
      expect(reply).toMatchObject({ status: 400, json: { code: 'INVALID_HOST' } });
    },
  );

  test('another environment can be served', async () => {
    await using other = await createMock({ env: 'prod' });
    const headers = { ...BEARER, host: 'prod.any.example' };
    expect((await call(other, { path: '/v1/cloudrun/hello', headers })).status).toBe(200);
  });
});
