import { afterAll, expect, test } from 'vitest';
import { startFixture } from '../fixture/server.mjs';
import { callRaw } from './support/raw-connection.ts';

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());

const call = (query: string, method = 'GET') =>
  fetch(`${fixture.url}/respond?${query}`, { method });
const callOnWire = (query: string, method = 'GET') =>
  callRaw(fixture.url, [`${method} /respond?${query} HTTP/1.1`, 'Host: a', 'Connection: close']);

test('responds with an empty 200 without a content type by default', async () => {
  const { text } = await callOnWire('');
  expect(text).toMatch(
    /^HTTP\/1\.1 200 OK\r\nContent-Length: 0\r\nDate: .*\r\nConnection: close\r\n\r\n$/,
  );
});

test.each([200, 201, 299, 302, 404, 418, 451, 500, 599])('status %d', async (status) => {
  const response = await fetch(`${fixture.url}/respond?status=${status}&body=x`, {
    redirect: 'manual',
  });
  expect([response.status, await response.text()]).toEqual([status, 'x']);
});

test.each([204, 304])('%d has no body', async (status) => {
  const { text } = await callOnWire(`status=${status}&body=x`);
  expect(text.split('\r\n\r\n')[1]).toBe('');
  expect(text).not.toMatch(/content-length|transfer-encoding/i);
});

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
  expect(await (await call('body=%E4%BD%A0+%2B')).text()).toBe('你 +');
  expect(await (await call('body64=_-8A')).bytes()).toEqual(new Uint8Array([255, 239, 0]));
  const bytes = await (await call('size=1000000')).bytes();
  expect(bytes).toHaveLength(1_000_000);
  expect(bytes.every((byte, index) => byte === index % 251)).toBe(true);
});

test('a body of 32 MiB is sent completely', async () => {
  const response = await call(`size=${32 * 1024 * 1024}`);
  expect(response.headers.get('content-length')).toBe('33554432');
  expect((await response.arrayBuffer()).byteLength).toBe(33_554_432);
});

test('a chunked response has no Content-Length', async () => {
  const { text } = await callOnWire('chunked=1&body=hello');
  expect(text).not.toMatch(/content-length/i);
  expect(text).toMatch(/Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n$/);
});

test('HEAD returns the head of the GET without a body', async () => {
  const { text } = await callOnWire('type=text/plain&body=hello&break=', 'HEAD');
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  const sound = await callOnWire('type=text/plain&body=hello', 'HEAD');
  expect(sound.text).toMatch(/Content-Type: text\/plain\r\nContent-Length: 5\r\n[\s\S]*\r\n\r\n$/);
});

test('delay waits before it sends the head', async () => {
  const start = performance.now();
  await call('delay=80');
  expect(performance.now() - start).toBeGreaterThanOrEqual(79);
});

test('trickle sends eight parts with a pause between them', async () => {
  const start = performance.now();
  const { text } = await callOnWire('chunked=1&trickle=20&size=16&type=a/b');
  expect(performance.now() - start).toBeGreaterThanOrEqual(7 * 19);
  expect(text.split('\r\n\r\n')[1]?.match(/^2\r$/gm)).toHaveLength(8);
  expect(await (await call('trickle=0&body=abc')).text()).toBe('abc');
});

test('break=head closes the connection without a response', async () => {
  expect((await callOnWire('break=head')).text).toBe('');
  expect((await callOnWire('break=head&body=x', 'HEAD')).text).toBe('');
});

test('break=truncate closes the connection cleanly halfway through the body', async () => {
  const { text, wasReset } = await callOnWire('break=truncate&body=12345678');
  expect(text).toContain('Content-Length: 8\r\n');
  expect([text.split('\r\n\r\n')[1], wasReset]).toEqual(['1234', false]);
  const chunked = await callOnWire('break=truncate&body=12345678&chunked=1');
  expect(chunked.text).toMatch(/\r\n\r\n4\r\n1234\r\n$/);
});

test('break=reset resets the connection halfway through the body', async () => {
  const { text, wasReset } = await callOnWire('break=reset&body=12345678');
  expect([text.split('\r\n\r\n')[1], wasReset]).toEqual(['1234', true]);
});

test.each([
  ['status', 'status=199'],
  ['status', 'status=600'],
  ['status', 'status=2e2'],
  ['status', 'status='],
  ['status', 'status=200&status=201'],
  ['body64', 'body64=a'],
  ['body64', 'body64=a%2Fbc'],
  ['body64', 'body=a&body64=YQ'],
  ['size', 'size=1&body='],
  ['size', 'size=33554433'],
  ['size', 'size=-1'],
  ['header', 'header=nothing'],
  ['header', 'header=:%20x'],
  ['header', 'header=A%20B:%20x'],
  ['header', 'header=A:%20x%0d%0aB:%20y'],
  ['header', 'header=A:%E4%BD%A0'],
  ['type', 'type=a/b%0d%0a'],
  ['delay', 'delay=60001'],
  ['trickle', 'trickle=60001'],
  ['chunked', 'chunked=yes'],
  ['break', 'break=leg&body=x'],
  ['break', 'break=truncate'],
  ['break', 'break=reset&status=204&body=x'],
])('a bad %s is named: %s', async (parameter, query) => {
  const response = await call(query);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    400,
    'application/json',
  ]);
  const { error, ...rest } = (await response.json()) as { error: string };
  expect(rest).toEqual({ parameter });
  expect(error).toMatch(new RegExp(`^${parameter} must be .`));
});

test('open calls end when the service stops', async () => {
  const other = await startFixture({ port: 0 });
  await (await fetch(`${other.url}/respond`)).text();
  const hanging = fetch(`${other.url}/respond?delay=60000`);
  hanging.catch(() => {});
  await fetch(`${other.url}/count?mark=x`);
  await other.close();
  await expect(hanging).rejects.toThrow();
});
