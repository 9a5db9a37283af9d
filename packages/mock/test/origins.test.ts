import type { OutgoingHttpHeaders } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { BEARER, call, gateway } from './helpers/calls.ts';
import { askForWebSocket } from './helpers/raw.ts';

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

  test.each([
    ['http://localhost:5173', 101],
    ['https://app.localhost:8443', 101],
    ['http://[::1]:3000', 101],
    ['https://app.example.com', 403],
    ['http://localhost.example.com', 403],
    ['http://192.168.1.5:3000', 403],
    ['http://localhost@example.com', 403],
    ['null', 403],
  ])('only local pages may read responses and open WebSockets: %s', async (origin, status) => {
    const isLocal = status === 101;
    for (const method of ['GET', 'OPTIONS']) {
      const preflight = { origin, 'access-control-request-private-network': 'true' };
      const { headers } = await call(mock, { method, path, headers: preflight });
      expect(headers['access-control-allow-origin']).toBe(isLocal ? origin : undefined);
      if (!isLocal) expect(headers).not.toHaveProperty('access-control-allow-private-network');
      expect(headers.vary).toContain('Origin');
    }
    const opening = await askForWebSocket(`${mock.url}/v1/cloudrun/echo`, { origin });
    expect(opening.statusCode).toBe(status);
  });
});

describe('a page whose host name points to this machine', async () => {
  const mock = await createMock({ origins: ['http://dev.shop.example:4010'] });
  afterAll(() => mock.close());
  const headers = { ...BEARER, host: 'dev.evil.example:4010' };
  const hello = '/v1/cloudrun/hello';

  test.each([
    ['GET', hello, 'INVALID_HOST'],
    ['POST', '/api/v2/envs/dev/storages:batchDelete', 'INVALID_PARAM'],
    ['POST', '/', 'MalformedPOSTRequest'],
    ['GET', '/files/hello.txt', 'MalformedPOSTRequest'],
  ])('is rejected: %s %s', async (method, path, code) => {
    const reply = await call(mock, { method, path, headers });
    expect([reply.status, reply.text]).toEqual([421, expect.stringContaining(code)]);
    expect(reply.text).toMatch(/not as dev\.evil\.example, .* --origins\./);
    expect(mock.session().requests().at(-1)?.status).toBe(421);
  });

  test('cannot open a WebSocket', async () => {
    expect((await askForWebSocket(mock.url + hello, headers)).statusCode).toBe(421);
    const logged = { operationId: 'cloudrun-get-root', status: 421 };
    await expect.poll(() => mock.session().requests().at(-1)).toMatchObject(logged);
  });

  test('is allowed if the option has its host, or every origin', async () => {
    const listed = { host: 'dev.shop.example' };
    expect((await gateway(mock, { path: hello, headers: listed })).status).toBe(200);
    await using open = await createMock({ origins: ['*'] });
    const reply = await gateway(open, { path: hello, headers });
    expect(reply).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } });
  });
});
