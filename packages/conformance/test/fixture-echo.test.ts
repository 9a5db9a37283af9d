import { createHash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startFixture } from '../fixture/server.mjs';
import { callRaw } from './support/raw-connection.ts';

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());

/** The JSON after a response head. */
const bodyOf = (text: string) => JSON.parse(text.slice(text.indexOf('\r\n\r\n')));

test('path, query and headers are echoed as received', async () => {
  const { text } = await callRaw(fixture.url, [
    'GET /a//b/%2F/%e4%b8%ad?x=1&&x=%20+ HTTP/1.1',
    'hOST: here',
    'X-Two: 1',
    'x-two: 2',
    'Connection: close',
  ]);
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json\r\n/);
  expect(bodyOf(text)).toEqual({
    fixture: 'berth-conformance',
    protocol: 1,
    method: 'GET',
    target: '/a//b/%2F/%e4%b8%ad?x=1&&x=%20+',
    headers: [
      ['hOST', 'here'],
      ['X-Two', '1'],
      ['x-two', '2'],
      ['Connection', 'close'],
    ],
    body: { size: 0, sha256: createHash('sha256').digest('hex'), base64: '' },
  });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
  '%s is echoed',
  async (method) => {
    const response = await fetch(`${fixture.url}/`, { method, body: 'hello' });
    const echo = (await response.json()) as { body: unknown };
    expect(echo).toMatchObject({ method, target: '/' });
    expect(echo.body).toMatchObject({ size: 5, base64: 'aGVsbG8=' });
  },
);

test.each([65_536, 65_537])('a body of %d bytes is reported by its hash', async (size) => {
  const body = Buffer.alloc(size, 7);
  const response = await fetch(fixture.url, { method: 'POST', body });
  const echo = (await response.json()) as { body: unknown };
  const base64 = size <= 65_536 ? body.toString('base64') : undefined;
  const sha256 = createHash('sha256').update(body).digest('hex');
  expect(echo.body).toEqual({ size, sha256, ...(base64 && { base64 }) });
});

test('a body over 32 MiB is rejected', async () => {
  const body = Buffer.alloc(32 * 1024 * 1024 + 1);
  const response = await fetch(fixture.url, { method: 'POST', body });
  expect([response.status, await response.json()]).toEqual([
    413,
    { error: 'The body must not be longer than 33554432 bytes' },
  ]);
});

test('a request to upgrade to another protocol is echoed with its headers and body', async () => {
  const { text } = await callRaw(
    fixture.url,
    Buffer.from(
      'POST /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nhi',
    ),
  );
  expect(bodyOf(text)).toMatchObject({ method: 'POST', body: { size: 2, base64: 'aGk=' } });
  expect(bodyOf(text).headers).toContainEqual(['Upgrade', 'h2c']);
});

test('a path that merely starts like a command is echoed', async () => {
  for (const target of [
    '/respond/',
    '/responds',
    '/Respond',
    '//respond',
    '/%72espond',
    '/__proto__',
  ]) {
    const echo = await (await fetch(`${fixture.url}${target}?status=500`)).json();
    expect(echo).toMatchObject({ target: `${target}?status=500` });
  }
});

test('requests are counted by the mark in their query or header', async () => {
  const call = (path: string, mark?: string) =>
    fetch(
      fixture.url + path,
      mark === undefined ? {} : { headers: { 'X-Conformance-Mark': mark } },
    );
  const count = async (mark: string) => (await call(`/count?mark=${mark}`)).json();
  expect(await count('one')).toEqual({ count: 0 });
  await call('/x?mark=one');
  await call('/respond?status=404&mark=one', 'one');
  await call('/respond?status=nonsense', 'one');
  await call('/y?mark=one', 'two');
  await call('/closed?mark=one&wait=0');
  await count('one');
  expect(await count('one')).toEqual({ count: 4 });
  expect(await count('two')).toEqual({ count: 1 });
});

test('a mark that is in use is kept while others expire', async () => {
  const call = async (query: string) => (await fetch(`${fixture.url}${query}`)).json();
  const marks = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `mark=m${from + index}`).join('&');
  await call('/?mark=old');
  await call('/?mark=used');
  for (let from = 0; from < 13_332; from += 3_333) {
    await call(`/?${marks(from, from + 3_333)}`);
    await call('/?mark=used');
  }
  expect(await call('/count?mark=used')).toEqual({ count: 5 });
  expect(await call('/count?mark=old')).toEqual({ count: 0 });
});

test.each(['/count', '/count?mark=', `/count?mark=${'m'.repeat(129)}`, '/count?mark=a&mark=b'])(
  '%s is refused',
  async (path) => {
    const response = await fetch(fixture.url + path);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ parameter: 'mark' });
  },
);
