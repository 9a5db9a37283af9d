import type { OutgoingHttpHeaders } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { BEARER, call, gateway } from './helpers/calls.ts';
import { askForWebSocket } from './helpers/handshake.ts';

const LISTED = 'https://app.example.com';
/** As pages of an app have it, with Capacitor for example. */
const APP = 'capacitor://localhost';
const mock = await createMock({ origins: [LISTED, APP] });
afterAll(() => mock.close());

// A GET of the upload target is the mock's own page.
test.each<[string, string, string, OutgoingHttpHeaders?]>([
  ['gateway', 'GET', '/v1/cloudrun/hello/a'],
  ['storage', 'GET', '/api/v2/envs/dev/storages:batchDelete'],
  ['upload', 'POST', '/'],
  ['link', 'GET', '/files/hello.txt'],
  ['a fault', 'GET', '/v1/cloudrun/hello', { 'x-mock-fault': 'code=SERVICE_TIMEOUT' }],
])('%s: only pages from a listed origin may read', async (_, method, path, headers = {}) => {
  const from = async (origin: string, method: string) =>
    (await call(mock, { method, path, headers: { ...headers, origin } })).headers;
  const vary = 'Origin';
  for (const each of [method, 'OPTIONS']) {
    for (const origin of [LISTED, APP]) {
      const allowed = { 'access-control-allow-origin': origin, vary };
      expect(await from(origin, each)).toMatchObject(allowed);
    }
    const unlisted = await from('https://other.example.com', each);
    expect([unlisted['access-control-allow-origin'], unlisted.vary]).toEqual([undefined, vary]);
  }
});

describe('without the option', async () => {
  const mock = await createMock();
  afterAll(() => mock.close());
  const path = '/api/v2/envs/dev/storages:batchGetTempUrls';
  const openFrom = (origin: string) => askForWebSocket(`${mock.url}/v1/cloudrun/echo`, { origin });

  test.each(['http://localhost:5173', 'https://app.localhost:8443', 'http://[::1]:3000'])(
    'pages from %s, which is this machine, may read responses',
    async (origin) => {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await call(mock, { method, path, headers: { origin } });
        expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
      }
      expect((await openFrom(origin)).statusCode).toBe(101);
    },
  );

  test.each([
    'https://app.example.com',
    'http://localhost.example.com',
    'http://192.168.1.5:3000',
    'http://localhost@example.com',
    'null',
  ])('pages from %s may neither read responses nor open WebSockets', async (origin) => {
    for (const method of ['GET', 'OPTIONS']) {
      const preflight = { origin, 'access-control-request-private-network': 'true' };
      const { headers } = await call(mock, { method, path, headers: preflight });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('access-control-allow-private-network');
      expect(headers.vary).toBe('Origin');
    }
    expect((await openFrom(origin)).statusCode).toBe(403);
  });
});

describe('a page whose host name points to this machine', async () => {
  const mock = await createMock({ origins: ['http://dev.shop.example:4010'] });
  afterAll(() => mock.close());
  const host = 'dev.evil.example:4010';
  const marks: OutgoingHttpHeaders[] = [
    {},
    { origin: `http://${host}` },
    { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
  ];
  const calls: [method: string, path: string, code: string][] = [
    ['GET', '/v1/cloudrun/hello', 'INVALID_HOST'],
    ['POST', '/api/v2/envs/dev/storages:batchDelete', 'INVALID_PARAM'],
    ['POST', '/', 'MalformedPOSTRequest'],
    ['GET', '/files/hello.txt', 'MalformedPOSTRequest'],
  ];
  const statusOf = async (headers: OutgoingHttpHeaders) =>
    (await gateway(mock, { path: '/v1/cloudrun/hello', headers })).status;

  test.each(calls)('is refused: %s %s', async (method, path, code) => {
    for (const mark of marks) {
      const reply = await call(mock, { method, path, headers: { ...BEARER, host, ...mark } });
      expect(reply.status).toBe(421);
      expect(reply.text).toContain(code);
      expect(reply.text).toContain('not as dev.evil.example');
    }
    expect(mock.session().requests().at(-1)?.status).toBe(421);
  });

  test('opens no WebSocket, whatever its origin', async () => {
    for (const mark of marks) {
      const { statusCode } = await askForWebSocket(`${mock.url}/v1/cloudrun/echo`, {
        host,
        ...mark,
      });
      expect(statusCode).toBe(421);
      await expect.poll(() => mock.session().requests().at(-1)?.status).toBe(421);
    }
  });

  test('may have the host of an origin in the option', async () => {
    for (const mark of marks) {
      expect(await statusOf({ ...mark, host: 'dev.shop.example' })).toBe(200);
    }
  });

  test('is allowed if every origin is', async () => {
    const path = '/v1/cloudrun/hello';
    await using open = await createMock({ origins: ['*'] });
    const reply = await gateway(open, { path, headers: { host } });
    expect(reply).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } });
  });
});
