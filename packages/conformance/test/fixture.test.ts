import { afterAll, expect, test } from 'vitest';
import { sendRaw } from '../../server/test/support/send-raw.ts';
import { startFixture } from '../fixture/server.mjs';

// Other implementations follow its protocol; what the checks use every day is proved by their runs.

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());
const port = Number(new URL(fixture.url).port);

const call = (path: string, init?: RequestInit) => fetch(fixture.url + path, init);

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
  const [, parameter = ''] = /(?:^|\?)(\w+)/.exec(query.replace(/^\/\w+/, '')) ?? [];
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    parameter,
    error: expect.stringMatching(new RegExp(`^${parameter} must be .`)),
  });
});

test('open calls end when the service stops', async () => {
  const other = await startFixture({ port: 0 });
  const hanging = fetch(`${other.url}/closed?mark=none&wait=60000`);
  hanging.catch(() => {});
  await fetch(`${other.url}/count?mark=x`);
  await other.close();
  await expect(hanging).rejects.toThrow();
});

const mask = Buffer.from([1, 2, 3, 4]);

/** A masked frame; `first` is its first byte: FIN, reserved bits and opcode. */
function frame(first: number, payload: string | Buffer, length = Buffer.byteLength(payload)) {
  const data = Buffer.from(payload).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask, data]);
  const head = Buffer.from([first, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, mask, data]);
}

/** What the service sends after the handshake, when it gets these frames with it. */
async function exchange(...frames: Buffer[]): Promise<Buffer> {
  const handshake = [
    ...['GET /socket HTTP/1.1', 'Host: a', 'Connection: keep-alive, Upgrade', 'Upgrade: WebSocket'],
    ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
  ];
  const text = await sendRaw(port, handshake.join('\r\n'), ...frames);
  return Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1');
}

const good = frame(0x88, Buffer.from([1000 >> 8, 1000 & 255]));

test.each([
  ['an unmasked frame', 1002, Buffer.from([0x81, 1, 97])],
  ['an unknown opcode', 1002, frame(0x83, 'a')],
  ['a long ping', 1002, frame(0x89, 'a'.repeat(126))],
  ['a continuation of nothing', 1002, frame(0x80, 'a')],
  ['a message within a message', 1002, Buffer.concat([frame(0x01, 'a'), frame(0x81, 'b')])],
  ['half a close code', 1002, frame(0x88, 'a')],
  ['a reason that is not UTF-8', 1007, frame(0x88, Buffer.from([3, 232, 0xff]))],
  ['text that is not UTF-8', 1007, frame(0x81, Buffer.from([0xc3]))],
  ['a message beyond 1 MiB', 1009, frame(0x82, '', 1_048_577)],
])('%s ends the connection with %d', async (_, code, bytes) => {
  const response = await exchange(bytes, good);
  expect([response[0], response.readUInt16BE(2)]).toEqual([0x88, code]);
});
