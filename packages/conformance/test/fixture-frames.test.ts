import { afterAll, expect, test } from 'vitest';
import { startFixture } from '../fixture/server.mjs';
import { callRaw } from './support/raw-connection.ts';

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());

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

const close = (code: number, reason: string | Buffer = '') =>
  frame(0x88, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]));
const good = close(1000);
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

test('the response to the handshake follows RFC 6455', async () => {
  const { text } = await callRaw(
    fixture.url,
    Buffer.concat([Buffer.from(`${handshake.join('\r\n')}\r\n\r\n`), good]),
  );
  expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
  expect(text).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n');
});

test.each([
  [400, key, 'Sec-WebSocket-Key: short'],
  [426, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Version: 8'],
  [405, 'GET', 'POST'],
])('a handshake is refused with %d: %s', async (status, from, to) => {
  const { text } = await callRaw(
    fixture.url,
    handshake.map((line) => line.replace(from, to)),
  );
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\\r\\n\\r\\n\\{"error":`));
});

test('fragments are assembled, and pings between them get a pong', async () => {
  const frames = [
    frame(0x01, 'a'),
    frame(0x89, 'ping'),
    frame(0x00, ''),
    frame(0x8a, 'pong'),
    frame(0x80, 'b'),
    good,
  ];
  expect(await exchange(...frames)).toEqual(
    Buffer.concat([
      Buffer.from('\x8a\x04ping\x81\x02ab', 'latin1'),
      Buffer.from([0x88, 2, 3, 232]),
    ]),
  );
});

test('a message with very many fragments is echoed', async () => {
  const frames = Array.from({ length: 20_000 }, () => frame(0x00, 'x'));
  const response = await exchange(frame(0x02, ''), ...frames, frame(0x80, 'y'), good);
  expect(response.subarray(0, 4)).toEqual(Buffer.from([0x82, 126, 20_001 >> 8, 20_001 & 255]));
  expect(response.subarray(4, -4).toString()).toBe(`${'x'.repeat(20_000)}y`);
});

test('the reply to a close frame repeats its code and reason', async () => {
  expect(await exchange(close(4000, 'tired'))).toEqual(
    Buffer.from('\x88\x07\x0f\xa0tired', 'latin1'),
  );
  expect(await exchange(frame(0x88, ''))).toEqual(Buffer.from([0x88, 0]));
});

test('after its own close frame the service sends nothing more', async () => {
  const frames = [frame(0x81, '!close 4001 bye'), frame(0x81, 'late'), close(4001, 'bye')];
  expect(await exchange(...frames)).toEqual(Buffer.from('\x88\x05\x0f\xa1bye', 'latin1'));
});

test('a peer that ignores the close frame is disconnected', async () => {
  expect(await closeCode(frame(0x81, '!close 4001'))).toBe(4001);
});

test.each([
  ['an unmasked frame', 1002, Buffer.from([0x81, 1, 97])],
  ['a reserved bit', 1002, frame(0xc1, 'a')],
  ['an unknown opcode', 1002, frame(0x83, 'a')],
  ['an unknown control opcode', 1002, frame(0x8b, 'a')],
  ['a fragmented ping', 1002, frame(0x09, 'a')],
  ['a long ping', 1002, frame(0x89, 'a'.repeat(126))],
  ['a continuation of nothing', 1002, frame(0x80, 'a')],
  ['a message within a message', 1002, Buffer.concat([frame(0x01, 'a'), frame(0x81, 'b')])],
  ['half a close code', 1002, frame(0x88, 'a')],
  ['close code 1005', 1002, close(1005)],
  ['close code 999', 1002, close(999)],
  ['close code 2999', 1002, close(2999)],
  ['close code 5000', 1002, close(5000)],
  ['a reason that is not UTF-8', 1007, close(1000, Buffer.from([0xff]))],
  ['text that is not UTF-8', 1007, frame(0x81, Buffer.from([0xc3]))],
  ['text with a surrogate', 1007, frame(0x81, Buffer.from([0xed, 0xa0, 0x80]))],
  ['a message beyond 1 MiB', 1009, frame(0x82, '', 1_048_577)],
  ['a message of 2^63 bytes', 1009, frame(0x82, '', Number.MAX_SAFE_INTEGER)],
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
