import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { startFixture } from '../fixture/server.mjs';

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());

const call = async (path: string) => (await fetch(fixture.url + path)).json();

/** A socket that is open, and reads one message after the other. */
async function open(query = '', protocols: string[] = [], headers = {}) {
  const socket = new WebSocket(`${fixture.url.replace('http', 'ws')}/socket?${query}`, protocols, {
    headers,
  });
  const messages: (string | Buffer)[] = [];
  const waiting: (() => void)[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    messages.push(isBinary ? data : data.toString());
    waiting.shift()?.();
  });
  const opened = once(socket, 'open');
  const [{ headers: response }] = await once(socket, 'upgrade');
  await opened;
  const next = async () => {
    if (messages.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    return messages.shift();
  };
  return { socket, next, response };
}

/** Status and parsed body of a handshake that is rejected. */
async function refusal(query: string) {
  const socket = new WebSocket(`${fixture.url.replace('http', 'ws')}/socket?${query}`);
  const [, response] = await once(socket, 'unexpected-response');
  const parts = await response.toArray();
  return [response.statusCode, response.headers, Buffer.concat(parts).toString()] as const;
}

test('text and binary messages are echoed unchanged', async () => {
  const { socket, next } = await open();
  for (const message of [
    '',
    'x',
    '\uFEFF!hello',
    '你好',
    ' !hello',
    'y'.repeat(125),
    'z'.repeat(65_536),
  ]) {
    socket.send(message);
    expect(await next()).toBe(message);
  }
  for (const size of [0, 126, 65_535, 65_536, 1_048_576]) {
    const bytes = Buffer.alloc(size, 255);
    socket.send(bytes);
    expect(bytes.equals((await next()) as Buffer)).toBe(true);
  }
  socket.send(Buffer.from('!hello'));
  expect(await next()).toEqual(Buffer.from('!hello'));
  socket.close();
});

test('selects the last offered subprotocol, the one in the query, or none', async () => {
  expect((await open('', ['a', 'b'])).socket.protocol).toBe('b');
  expect((await open('protocol=a', ['a', 'b'])).socket.protocol).toBe('a');
  expect((await open()).response).not.toHaveProperty('sec-websocket-protocol');
});

test('!hello reports the handshake as it arrived', async () => {
  const { socket, next, response } = await open('x=%2F&&header=X-One:%201', [], { 'X-TWO': '2' });
  expect(response).toMatchObject({ 'x-one': '1' });
  socket.send('!hello');
  const { target, headers } = JSON.parse(String(await next()));
  expect(target).toBe('/socket?x=%2F&&header=X-One:%201');
  expect(headers).toContainEqual(['X-TWO', '2']);
});

test('a greeting is the first message, and !hello reports it', async () => {
  const { socket, next } = await open('greet=good+day');
  expect(await next()).toBe('good day');
  socket.send('!hello');
  expect(JSON.parse(String(await next()))).toMatchObject({ greeting: 'good day' });
  socket.close();
});

test('!burst sends numbers in order', async () => {
  const { socket, next } = await open();
  socket.send('!burst 10000');
  for (let index = 0; index < 10_000; index++) expect(await next()).toBe(String(index));
});

test.each([
  '!',
  '!nothing',
  '!hello you',
  '!burst',
  '!burst 10001',
  '!close 999',
  '!close 1006',
  `!close 4000 ${'x'.repeat(124)}`,
])('unknown commands are reported: %s', async (command) => {
  const { socket, next } = await open();
  socket.send(command);
  expect(JSON.parse(String(await next()))).toEqual({ error: `Not understood: ${command}` });
});

test.each([
  ['!close 4001 some reason 好', 4001, 'some reason 好'],
  ['!close 1000', 1000, ''],
  ['!close', 1005, ''],
])('%s closes so', async (command, code, reason) => {
  const { socket } = await open('mark=asked');
  const end = once(socket, 'close');
  socket.send(command);
  const [gotCode, gotReason] = await end;
  expect([gotCode, String(gotReason)]).toEqual([code, reason]);
  expect(await call('/closed?mark=asked')).toEqual({ closed: true, code, reason });
});

test("/closed waits for the close, and reports the caller's code and reason", async () => {
  const { socket } = await open('mark=mine');
  expect(await call('/closed?mark=mine&wait=10')).toEqual({ closed: false });
  const closed = call('/closed?mark=mine&wait=60000');
  socket.close(4000, 'tired');
  expect(await closed).toEqual({ closed: true, code: 4000, reason: 'tired' });
  const end = once(socket, 'close');
  expect((await end)[0]).toBe(4000);
  const again = await open('mark=mine');
  expect(await call('/closed?mark=mine&wait=0')).toEqual({ closed: false });
  again.socket.terminate();
  expect(await call('/closed?mark=mine')).toEqual({ closed: true, code: 1006, reason: '' });
  expect(await call('/count?mark=mine')).toEqual({ count: 2 });
});

test('a close without a code is reported as 1005', async () => {
  const { socket } = await open('mark=silent');
  socket.close();
  expect(await call('/closed?mark=silent')).toEqual({ closed: true, code: 1005, reason: '' });
});

test('a handshake is rejected on request', async () => {
  const [status, headers, body] = await refusal('refuse=418&header=X-One:%201&mark=no');
  expect([status, headers['x-one'], JSON.parse(body)]).toEqual([
    418,
    '1',
    { error: 'Refused with 418, as requested' },
  ]);
  expect((await refusal('refuse=204'))[2]).toBe('');
  expect(await call('/count?mark=no')).toEqual({ count: 1 });
  expect(await call('/closed?mark=no&wait=0')).toEqual({ closed: false });
});

test.each([
  ['refuse', 'refuse=199'],
  ['protocol', 'protocol=a%20b'],
  ['mark', 'mark='],
  ['header', 'header=x'],
])('a bad %s is named: %s', async (parameter, query) => {
  const [status, , body] = await refusal(query);
  expect([status, JSON.parse(body).parameter]).toEqual([400, parameter]);
});

test('a WebSocket at any other path is an echo', async () => {
  const socket = new WebSocket(`${fixture.url.replace('http', 'ws')}/elsewhere`);
  const [, response] = await once(socket, 'unexpected-response');
  expect(response.statusCode).toBe(200);
  const echo = JSON.parse(Buffer.concat(await response.toArray()).toString());
  expect(echo.headers).toContainEqual(['Upgrade', 'websocket']);
});

test('/socket without an upgrade responds with 426', async () => {
  const response = await fetch(`${fixture.url}/socket`);
  expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket']);
});

test('sockets are closed with 1001 when the service stops', async () => {
  const other = await startFixture({ port: 0 });
  const socket = new WebSocket(`${other.url.replace('http', 'ws')}/socket`);
  await once(socket, 'open');
  const end = once(socket, 'close');
  await other.close();
  expect((await end)[0]).toBe(1001);
});
