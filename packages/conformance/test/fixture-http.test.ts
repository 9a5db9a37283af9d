import { createHash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startFixture } from '../fixture/server.mjs';
import { callRaw } from './support/raw-connection.ts';

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());

const call = (path: string, init?: RequestInit) => fetch(fixture.url + path, init);

/** The JSON after a response head. */
const bodyOf = (text: string) => JSON.parse(text.slice(text.indexOf('\r\n\r\n')));

const HEADERS = [
  ...[
    ['hOST', 'here'],
    ['X-Two', '1'],
    ['x-two', '2'],
    ['Connection', 'close'],
  ],
];

test('path, query and headers are echoed as received', async () => {
  const { text } = await callRaw(fixture.url, [
    'GET /a//b/%2F/%e4%b8%ad?x=1&&x=%20+ HTTP/1.1',
    ...HEADERS.map((header) => header.join(': ')),
  ]);
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json\r\n/);
  expect(bodyOf(text)).toEqual({
    fixture: 'berth-conformance',
    protocol: 1,
    method: 'GET',
    target: '/a//b/%2F/%e4%b8%ad?x=1&&x=%20+',
    headers: HEADERS,
    body: { size: 0, sha256: createHash('sha256').digest('hex'), base64: '' },
  });
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'])('%s is echoed', async (method) => {
  const echo = await (await call('/', { method, body: 'hello' })).json();
  expect(echo).toMatchObject({ method, target: '/', body: { size: 5, base64: 'aGVsbG8=' } });
});

test('requests are counted by the mark in their query or header', async () => {
  const marked = (mark: string) => ({ headers: { 'X-Conformance-Mark': mark } });
  const count = async (mark: string) => (await call(`/count?mark=${mark}`)).json();
  expect(await count('one')).toEqual({ count: 0 });
  await call('/x?mark=one');
  await call('/respond?status=404&mark=one', marked('one'));
  await call('/respond?status=nonsense', marked('one'));
  await call('/y?mark=one', marked('two'));
  await call('/closed?mark=one&wait=0');
  await count('one');
  expect(await count('one')).toEqual({ count: 4 });
  expect(await count('two')).toEqual({ count: 1 });
});

const callOnWire = (query: string, method = 'GET') =>
  callRaw(fixture.url, [`${method} /respond?${query} HTTP/1.1`, 'Host: a', 'Connection: close']);

test('the type and headers come from the query, including repeated headers', async () => {
  const query =
    'type=text/plain;%20charset=gbk&header=X-One:%20a%20b&header=x-one:c&header=Date:%20never';
  const { text } = await callOnWire(query);
  expect(text).toContain(
    'Content-Type: text/plain; charset=gbk\r\nX-One: a b\r\nx-one: c\r\nDate: never\r\n',
  );
  expect(text.match(/date:/gi)).toHaveLength(1);
});

test('the body is text, base64url, or a pattern of a given size', async () => {
  expect(await (await call('/respond?body=%E4%BD%A0+%2B')).text()).toBe('你 +');
  expect(await (await call('/respond?body64=_-8A')).bytes()).toEqual(new Uint8Array([255, 239, 0]));
  const bytes = await (await call('/respond?size=1000000')).bytes();
  expect(bytes).toHaveLength(1_000_000);
  expect(bytes.every((byte, index) => byte === index % 251)).toBe(true);
});

test('a chunked response has no Content-Length', async () => {
  const { text } = await callOnWire('chunked=1&body=hello');
  expect(text).not.toMatch(/content-length/i);
  expect(text).toMatch(/Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n$/);
});

test('trickle sends eight parts', async () => {
  const { text } = await callOnWire('chunked=1&trickle=20&size=16&type=a/b');
  expect(text.split('\r\n\r\n')[1]?.match(/^2\r$/gm)).toHaveLength(8);
  expect(await (await call('/respond?trickle=0&body=abc')).text()).toBe('abc');
});

test.each([
  ...['status=199', 'status=600', 'status=2e2', 'status=', 'status=200&status=201'],
  ...['body64=a', 'body64=a%2Fbc', 'body64=YQ&body=a', 'size=1&body=', 'size=33554433', 'size=-1'],
  ...['header=nothing', 'header=:%20x', 'header=A%20B:%20x', 'header=A:%20x%0d%0aB:%20y'],
  ...['header=A:%E4%BD%A0', 'type=a/b%0d%0a', 'trickle=60001', 'chunked=yes'],
  ...['/events?count=1001', '/events?hold=', '/events?wait=60001', '/events?interval=x'],
  ...['/release?hold', '/closed?wait=60001&mark=a', '/count?mark', '/count?mark='],
  ...[`/count?mark=${'m'.repeat(129)}`, '/count?mark=a&mark=b'],
])('a bad parameter is named: %s', async (query) => {
  const response = await call(query.startsWith('/') ? query : `/respond?${query}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    ...[400, 'application/json'],
  ]);
  const [, parameter = ''] = /(?:^|\?)(\w+)/.exec(query.replace(/^\/\w+/, '')) ?? [];
  const { error, ...rest } = (await response.json()) as { error: string };
  expect(rest).toEqual({ parameter });
  expect(error).toMatch(new RegExp(`^${parameter} must be .`));
});

test('open calls end when the service stops', async () => {
  const other = await startFixture({ port: 0 });
  await (await fetch(`${other.url}/respond`)).text();
  const hanging = fetch(`${other.url}/closed?mark=none&wait=60000`);
  hanging.catch(() => {});
  await fetch(`${other.url}/count?mark=x`);
  await other.close();
  await expect(hanging).rejects.toThrow();
});

const release = async (hold: string) => (await call(`/release?hold=${hold}`)).json();
const event = (n: number, released = false) =>
  `id: ${n}\ndata: {"n":${n},"released":${released}}\n\n`;

test('sends three events by default', async () => {
  const response = await call('/events');
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(await response.text()).toBe(event(1) + event(2) + event(3));
});

test('a held stream sends its first event and then waits for its release', async () => {
  const response = await call('/events?hold=a&wait=60000&header=X-One:%201&type=text/plain');
  const { headers } = response;
  expect([headers.get('content-type'), headers.get('x-one')]).toEqual(['text/plain', '1']);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe(event(1));
  expect(await release('a')).toEqual({ released: true });
  let rest = '';
  for (let part = await reader?.read(); part?.value; part = await reader?.read())
    rest += part.value;
  expect(rest).toBe(event(2, true) + event(3, true));
  expect(await release('a')).toEqual({ released: false });
});

test('Last-Event-ID resumes after that event', async () => {
  const after = (id: string) =>
    call('/events?hold=d&wait=10', { headers: { 'Last-Event-ID': id } });
  expect(await (await after('1')).text()).toBe(event(2) + event(3));
  expect(await (await after('3')).text()).toBe('');
  const bad = await after('x');
  expect(bad.status).toBe(400);
  expect(await bad.json()).toMatchObject({ parameter: 'Last-Event-ID' });
});
