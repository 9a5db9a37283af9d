import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { startFixture } from '../fixture/server.mjs';
import { callRaw } from './support/raw-connection.ts';

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
  const texts = ['', 'x', '\uFEFF!hello', '你好', ' !hello', 'y'.repeat(125), 'z'.repeat(65_536)];
  for (const message of texts) {
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

test('!hello reports the handshake as it arrived, and the greeting that was sent first', async () => {
  const query = 'x=%2F&&header=X-One:%201&greet=good+day';
  const { socket, next, response } = await open(query, [], { 'X-TWO': '2' });
  expect(response).toMatchObject({ 'x-one': '1' });
  expect(await next()).toBe('good day');
  socket.send('!hello');
  const { target, headers, greeting } = JSON.parse(String(await next()));
  expect([target, greeting]).toEqual([`/socket?${query}`, 'good day']);
  expect(headers).toContainEqual(['X-TWO', '2']);
});

test.each([
  ...['!', '!nothing', '!hello you', '!burst', '!burst 10001', '!close 999', '!close 1006'],
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

test('a handshake is rejected on request', async () => {
  const [status, headers, body] = await refusal('refuse=418&header=X-One:%201&mark=no');
  expect([status, headers['x-one']]).toEqual([418, '1']);
  expect(JSON.parse(body)).toEqual({ error: 'Refused with 418, as requested' });
  expect((await refusal('refuse=204'))[2]).toBe('');
  expect(await call('/count?mark=no')).toEqual({ count: 1 });
  expect(await call('/closed?mark=no&wait=0')).toEqual({ closed: false });
});

const mask = Buffer.from([1, 2, 3, 4]);

/** A masked frame; `first` is its first byte: FIN, reserved bits and opcode. */
function frame(
  first: number,
  payload: string | Buffer,
  length = Buffer.byteLength(payload),
): Buffer {
  const data = Buffer.from(payload).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask, data]);
  const head = Buffer.from([first, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, mask, data]);
}

const closeFrame = (code: number, reason: string | Buffer = '') =>
  frame(0x88, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]));
const good = closeFrame(1000);
const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
const handshake = [
  'GET /socket?mark=raw HTTP/1.1',
  'Host: a',
  'Connection: keep-alive, Upgrade',
  'Upgrade: WebSocket',
  'Sec-WebSocket-Version: 13',
  key,
];

/** What the service sends after the handshake, when it gets these frames with it. */
async function exchange(...frames: Buffer[]): Promise<Buffer> {
  const head = Buffer.from([...handshake, '', ''].join('\r\n'));
  const { text } = await callRaw(fixture.url, Buffer.concat([head, ...frames]));
  return Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1');
}

/** The code of the Close frame that is all that the service sends. */
async function closeCode(...frames: Buffer[]): Promise<number> {
  const response = await exchange(...frames);
  expect(response[0]).toBe(0x88);
  return response.readUInt16BE(2);
}

test('fragments are assembled, and pings between them get a pong', async () => {
  const frames = [frame(0x01, 'a'), frame(0x89, 'ping'), frame(0x00, ''), frame(0x8a, 'pong')];
  expect(await exchange(...frames, frame(0x80, 'b'), good)).toEqual(
    Buffer.from('\x8a\x04ping\x81\x02ab\x88\x02\x03\xe8', 'latin1'),
  );
});

test('the reply to a close frame repeats its code and reason', async () => {
  expect(await exchange(closeFrame(4000, 'tired'))).toEqual(
    Buffer.from('\x88\x07\x0f\xa0tired', 'latin1'),
  );
  expect(await exchange(frame(0x88, ''))).toEqual(Buffer.from([0x88, 0]));
});

test.each([
  ['an unmasked frame', 1002, Buffer.from([0x81, 1, 97])],
  ['an unknown opcode', 1002, frame(0x83, 'a')],
  ['a long ping', 1002, frame(0x89, 'a'.repeat(126))],
  ['a continuation of nothing', 1002, frame(0x80, 'a')],
  ['a message within a message', 1002, Buffer.concat([frame(0x01, 'a'), frame(0x81, 'b')])],
  ['half a close code', 1002, frame(0x88, 'a')],
  ['close code 5000', 1002, closeFrame(5000)],
  ['a reason that is not UTF-8', 1007, closeFrame(1000, Buffer.from([0xff]))],
  ['text that is not UTF-8', 1007, frame(0x81, Buffer.from([0xc3]))],
  ['a message beyond 1 MiB', 1009, frame(0x82, '', 1_048_577)],
  [
    'fragments beyond 1 MiB',
    1009,
    Buffer.concat([frame(0x02, Buffer.alloc(1_048_576)), frame(0x80, 'x')]),
  ],
])('%s ends the connection with %d', async (_, code, bytes) => {
  expect(await closeCode(bytes, good)).toBe(code);
  const closed = await (await fetch(`${fixture.url}/closed?mark=raw`)).json();
  expect(closed).toMatchObject({ closed: true, code });
});
