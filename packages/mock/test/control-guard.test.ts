import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { control } from './helpers/calls.ts';
import { sendRaw } from './helpers/raw.ts';

const mock = await createMock();
afterAll(() => mock.close());

const put = (headers: object) =>
  control(mock, 'PUT', 'clock', { body: { advance: 1 }, headers: { ...headers } });
const read = (headers: object) => control(mock, 'GET', 'files', { headers: { ...headers } });

describe('a name that points at this machine', () => {
  test.each(['evil.example', 'localhost.evil.example', '192.168.0.1'])(
    '%s is refused',
    async (host) => {
      const { status, json } = await read({ host });
      expect([status, json.field]).toEqual([421, 'Host']);
      expect(json.detail).toContain('Call the mock as localhost or by its IP address');
    },
  );

  test('a missing host is refused', async () => {
    const reply = await sendRaw(mock, 'GET /__mock/api/health HTTP/1.0\r\n\r\n');
    expect(reply).toContain('421 Misdirected Request');
  });

  test.each(['LOCALHOST:1', '127.1.2.3', '[::1]:5', 'dev.localhost'])(
    '%s is this machine',
    async (host) => {
      expect((await read({ host })).status).toBe(200);
    },
  );

  test('IP addresses are accepted if the mock listens on all interfaces', async () => {
    await using open = await createMock({ host: '0.0.0.0' });
    const status = async (host: string) =>
      (await control(open, 'GET', 'health', { headers: { host } })).status;
    expect(await status('192.168.0.1:4010')).toBe(200);
    expect(await status('evil.example')).toBe(421);
  });
});

describe('a page', () => {
  const own = () => `http://127.0.0.1:${mock.port}`;

  test('of the mock itself may read and write', async () => {
    expect((await put({ origin: own(), 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await read({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  test.each([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  ])('of another origin may write nothing: %j', async (headers) => {
    const { status, json } = await put(headers);
    expect([status, json.detail]).toEqual([
      403,
      'Pages from other origins may not use the control API.',
    ]);
  });

  test('of another origin may not read, not even after a preflight', async () => {
    const { status, headers } = await read({ origin: 'http://evil.example' });
    expect(status).toBe(403);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect((await read({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const preflight = await control(mock, 'OPTIONS', 'clock', {
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'PUT' },
    });
    expect(preflight.status).toBe(403);
  });

  test('may be opened by a user', async () => {
    const visit = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };
    const { status, headers } = await read(visit);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  test('cannot send JSON with another content type', async () => {
    const headers = { 'content-type': 'text/plain' };
    const reply = await control(mock, 'PUT', 'clock', { body: { advance: 1 }, headers });
    expect([reply.status, reply.json.field]).toEqual([415, 'Content-Type']);
  });
});
