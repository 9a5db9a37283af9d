import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { sendRaw } from '../../server/test/support/send-raw.ts';
import { startFixture } from '../fixture/server.mjs';

// Other implementations follow its protocol; what the checks use every day is proved by their runs.

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());
const port = Number(new URL(fixture.url).port);

const call = (path: string, init?: RequestInit) => fetch(fixture.url + path, init);
const read = async (path: string) => (await call(path)).json();

test('path, query and headers are echoed as received', async () => {
  const headers = [
    ['hOST', 'here'],
    ['X-Two', '1'],
    ['x-two', '2'],
    ['Connection', 'close'],
  ];
  const lines = [
    'GET /a//b/%2F/%e4%b8%ad?x=1&&x=%20+ HTTP/1.1',
    ...headers.map((header) => header.join(': ')),
  ];
  const text = await sendRaw(port, `${lines.join('\r\n')}\r\n\r\n`);
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
    ...{ fixture: 'berth-conformance', protocol: 1, method: 'GET', headers },
    target: '/a//b/%2F/%e4%b8%ad?x=1&&x=%20+',
  });
});

test('requests are counted by the mark in their query or header', async () => {
  const marked = (mark: string) => ({ headers: { 'X-Conformance-Mark': mark } });
  expect(await read('/count?mark=one')).toEqual({ count: 0 });
  await call('/x?mark=one');
  await call('/respond?status=404&mark=one', marked('one'));
  await call('/respond?status=nonsense', marked('one'));
  await call('/y?mark=one', marked('two'));
  await call('/closed?mark=one&wait=0');
  expect(await read('/count?mark=one')).toEqual({ count: 4 });
  expect(await read('/count?mark=two')).toEqual({ count: 1 });
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

test('a held stream sends its first event and then waits for its release', async () => {
  const event = (n: number, released: boolean) =>
    `id: ${n}\ndata: {"n":${n},"released":${released}}\n\n`;
  const response = await call('/events?hold=a&wait=60000&header=X-One:%201&type=text/plain');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe(event(1, false));
  expect(await read('/release?hold=a')).toEqual({ released: true });
  let rest = '';
  for (let part = await reader?.read(); part?.value; part = await reader?.read())
    rest += part.value;
  expect(rest).toBe(event(2, true) + event(3, true));
  expect(await read('/release?hold=a')).toEqual({ released: false });
});

const connect = (query: string) =>
  new WebSocket(`${fixture.url.replace('http', 'ws')}/socket?${query}`);

test.each([
  ['!close 4001 some reason 好', 4001, 'some reason 好'],
  ['!close', 1005, ''],
])('%s closes so, and /closed reports it', async (command, code, reason) => {
  const socket = connect('mark=asked');
  await once(socket, 'open');
  expect(await read('/closed?mark=asked&wait=0')).toEqual({ closed: false });
  socket.send(command);
  const [gotCode, gotReason] = await once(socket, 'close');
  expect([gotCode, String(gotReason)]).toEqual([code, reason]);
  expect(await read('/closed?mark=asked')).toEqual({ closed: true, code, reason });
});

test('a handshake is rejected on request', async () => {
  const [, response] = await once(
    connect('refuse=418&header=X-One:%201&mark=no'),
    'unexpected-response',
  );
  expect([response.statusCode, response.headers['x-one']]).toEqual([418, '1']);
  expect(await read('/count?mark=no')).toEqual({ count: 1 });
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

test('fragments are assembled, and pings between them get a pong', async () => {
  const frames = [frame(0x01, 'a'), frame(0x89, 'ping'), frame(0x00, ''), frame(0x8a, 'pong')];
  expect(await exchange(...frames, frame(0x80, 'b'), good)).toEqual(
    Buffer.from('\x8a\x04ping\x81\x02ab\x88\x02\x03\xe8', 'latin1'),
  );
});

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
