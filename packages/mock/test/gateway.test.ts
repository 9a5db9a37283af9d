import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';
import { BEARER, gateway } from './helpers/calls.ts';
import { HANDSHAKE } from './helpers/handshake.ts';

const mock = await createMock();
afterAll(() => mock.close());

describe('services', () => {
  test('only configured services exist', async () => {
    await using small = await createMock({ services: {} });
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

describe('a WebSocket upgrade', () => {
  test('is refused with a message if none is defined', async () => {
    const reply = await gateway(mock, { path: '/v1/cloudrun/other/a', headers: HANDSHAKE });
    expect(reply).toMatchObject({ status: 501, json: { code: 'SYS_ERR' } });
    expect(reply.json.message).toContain(
      'This mock does not define a WebSocket for the service other',
    );
    expect(reply.headers['x-request-id']).toBe(reply.json.requestId);
  });
});

describe('Prefer and Accept', () => {
  const ask = (headers: Record<string, string>) =>
    gateway(mock, { path: '/v1/cloudrun/hello', headers });

  test.each([
    [404, 'SERVICE_NOT_FOUND', undefined],
    [503, 'SERVICE_NOT_READY', '1'],
  ])('Prefer: code=%i returns an error with this status', async (status, code, retryAfter) => {
    const reply = await ask({ prefer: `code=${status}` });
    expect(reply).toMatchObject({ status, json: { code } });
    expect(reply.headers['retry-after']).toBe(retryAfter);
    expect(reply.headers).not.toHaveProperty('x-svc-upstream-status-code');
  });

  test.each([204, 418])('Prefer: code=%i has no response in the contract', async (code) => {
    const reply = await ask({ prefer: `code=${code}` });
    expect(reply).toMatchObject({ status: 404, json: { code: 'INVALID_REQUEST' } });
    expect(reply.json.message).toContain('no response with the status');
    expect(reply.json.message).toContain('use 200, 400, 401, 402, 403, 404, 405, 413, 429, 5');
  });

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

  test('a type that the contract does not document gets a 406', async () => {
    const reply = await ask({ accept: 'image/png' });
    expect(reply).toMatchObject({ status: 406, json: { code: 'INVALID_REQUEST' } });
    expect(reply.json.message).toContain('Accept');
  });
});

describe('credentials', () => {
  test.each([
    ['', 'INVALID_CREDENTIALS'],
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
  test.each(['prod.gateway.example', '10.0.0.1'])(
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
