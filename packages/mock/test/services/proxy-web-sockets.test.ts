import { on, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import WebSocket, { type RawData } from 'ws';
import { createMock } from '../../src/index.ts';
import { toHandshake } from '../helpers/handshake.ts';
import { sendRaw } from '../helpers/raw.ts';
import { FLOOD, startSocketService } from './start-socket-service.ts';

const AUTH = { authorization: 'Bearer any' };
const service = await startSocketService();
const services = { real: { proxy: service.url }, gone: { proxy: 'http://127.0.0.1:1' } };
const mock = await createMock({ services });
const session = mock.session('sockets');
const HEADERS = { ...AUTH, 'x-mock-session': 'sockets' };
afterAll(async () => {
  await mock.close();
  service.close();
});

function toAddress(path: string, { url }: { url: string } = mock): string {
  return `${url.replace('http', 'ws')}/v1/cloudrun/real/${path}`;
}

async function open(path = '', protocols: string[] = []) {
  const socket = new WebSocket(toAddress(path), protocols, { headers: HEADERS });
  const upgraded = once(socket, 'upgrade');
  const accepted = service.next();
  await once(socket, 'open');
  const [response] = (await upgraded) as [IncomingMessage];
  return { socket, response, received: (await accepted).request, real: service.sockets.at(-1) };
}

async function nextMessage(socket: WebSocket): Promise<[string, boolean]> {
  const [data, isBinary] = (await once(socket, 'message')) as [RawData, boolean];
  return [String(data), isBinary];
}

async function nextClose(socket: WebSocket | undefined): Promise<[number, string]> {
  const [code, reason] = await once(socket as WebSocket, 'close');
  return [code, String(reason)];
}

/** Requests a WebSocket; resolves with the response in its place. */
async function refusalOf(path: string, headers: Record<string, string> = HEADERS) {
  const socket = new WebSocket(toAddress(path), { headers });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

describe('a WebSocket of a proxied service', () => {
  test('opens with the original path and query, and follows the rules of the gateway', async () => {
    const { socket, response, received } = await open('a%2Fb//c?x=%zz&y=a+b&y');
    expect(received.url).toBe('/a%2Fb//c?x=%zz&y=a+b&y');
    const id = response.headers['x-request-id'];
    expect(id).toMatch(/^[-0-9a-f]{36}$/);
    expect(received.headers).toMatchObject({
      'x-request-id': id,
      host: new URL(service.url).host,
      'x-forwarded-host': new URL(mock.url).host,
    });
    expect(received.headers).not.toHaveProperty('authorization');
    expect(received.headers).not.toHaveProperty('x-mock-session');
    expect(response.headersDistinct['x-many']).toEqual(['1', '2']);
    expect(response.headers).not.toHaveProperty('content-disposition');
    expect(response.headers['x-svc-upstream-status-code']).toBe('101');
    expect(session.requests().at(-1)).toMatchObject({ id, service: 'real', matched: true });
    socket.close();
    await nextClose(socket);
    expect(session.requests().at(-1)?.response).toMatchObject({ status: 101 });
  });

  test('passes text and bytes both ways', async () => {
    const { socket } = await open();
    socket.send('grüß dich');
    expect(await nextMessage(socket)).toEqual(['grüß dich', false]);
    socket.send(Buffer.from('bytes'));
    expect(await nextMessage(socket)).toEqual(['bytes', true]);
    socket.send('x'.repeat(1_000_000));
    expect((await nextMessage(socket))[0].length).toBe(1_000_000);
    socket.terminate();
  });

  test('closes with code and reason, whichever side closes', async () => {
    const { socket } = await open();
    socket.send('!close 4001 over and out');
    expect(await nextClose(socket)).toEqual([4_001, 'over and out']);
    const { socket: other, real } = await open();
    other.close(4_002, 'bye');
    expect(await nextClose(real)).toEqual([4_002, 'bye']);
  });

  test('is lost on both sides when one loses it', async () => {
    const { socket } = await open();
    socket.send('!cut');
    expect(await nextClose(socket)).toEqual([1_006, '']);
    const { socket: other, real } = await open();
    other.terminate();
    expect(await nextClose(real)).toEqual([1_006, '']);
  });

  test('forwards data that arrives with the handshake', async () => {
    // Two text frames: a masked one, and the close of RFC 6455, section 5.5.1, with the mask 0.
    const sent = '\x81\x82\0\0\0\0hi\x88\x82\0\0\0\0\x03\xe8';
    const reply = await sendRaw(mock, `${toHandshake('/v1/cloudrun/real/')}${sent}`);
    expect(reply).toMatch(/^HTTP\/1\.1 101 /);
    expect(reply.split('\r\n\r\n')[1]).toBe('\x81\x02hi\x88\x02\x03\xe8');
  });

  test('is read no faster than its caller reads', async () => {
    const { socket, real } = await open();
    const flooded = once(real as WebSocket, 'flooded');
    socket.send('!flood');
    socket.pause();
    const [sent] = await flooded;
    expect(sent).toBeLessThan(FLOOD);
    socket.resume();
    let bytes = 0;
    for await (const [message] of messagesOf(socket)) {
      bytes += message.length;
      if (bytes >= sent) break;
    }
    expect(bytes).toBe(sent);
    socket.terminate();
  });
});

describe('a handshake', () => {
  test('is refused by the service itself', async () => {
    const { status, text, headers } = await refusalOf('no');
    expect([status, text]).toEqual([403, 'not here']);
    expect(headers['x-svc-upstream-status-code']).toBe('403');
    expect(headers['content-type']).toBe('text/plain');
    expect(session.requests().at(-1)).toMatchObject({ matched: true, response: { status: 403 } });
  });

  test('is refused if the service cannot be reached', async () => {
    const { status, text } = await refusalOf('../gone/a');
    expect([status, JSON.parse(text).code]).toEqual([502, 'SERVICE_LB_STATUS_ABNORMAL']);
  });

  test.each([
    ['h2c', 'an upgrade to h2c that was not requested.'],
    ['nothing', '101 without a protocol.'],
  ])('is refused if the service opens something else: %s', async (path, message) => {
    const { status, text } = await refusalOf(path);
    expect([status, JSON.parse(text).code]).toEqual([502, 'BAD_GATEWAY']);
    expect(text).toContain(message);
  });

  test.each<[string, (caller: Socket) => void]>([
    ['ends', (caller) => caller.end()],
    ['is lost', (caller) => caller.resetAndDestroy()],
  ])('ends when the connection of its caller %s', async (_, leave) => {
    const arrived = service.next();
    const caller = connect(mock.port, '127.0.0.1');
    caller.write(toHandshake('/v1/cloudrun/real/silent'));
    const { connection } = await arrived;
    leave(caller);
    await once(connection.resume(), 'end');
  });
});

test('credentials are those of the mode, and no service sees them', async () => {
  await using strict = await createMock({ services, auth: 'strict' });
  const { token } = await strict.credentials();
  const before = service.handshakes.length;
  const bad = new WebSocket(toAddress('', strict), { headers: AUTH });
  const [, response] = await once(bad, 'unexpected-response');
  expect(response.statusCode).toBe(401);
  expect(service.handshakes.length).toBe(before);
  const arrived = service.next();
  const good = new WebSocket(toAddress('', strict), [`berth.bearer.${token}`, 'chat']);
  await once(good, 'open');
  expect(good.protocol).toBe('chat');
  expect((await arrived).request.headers['sec-websocket-protocol']).toBe('chat');
});

test('a WebSocket ends with the mock, open or still in its handshake', async () => {
  const started = await createMock({ services });
  const socket = new WebSocket(toAddress('', started), { headers: AUTH });
  await once(socket, 'open');
  const lost = nextClose(socket);
  const real = nextClose(service.sockets.at(-1));
  const arrived = service.next();
  const caller = connect(started.port, '127.0.0.1').on('error', () => {});
  caller.write(toHandshake('/v1/cloudrun/real/silent'));
  const { connection } = await arrived;
  const left = once(connection.resume(), 'end');
  await started.close();
  expect(await lost).toEqual([1_006, '']);
  expect(await real).toEqual([1_006, '']);
  await left;
});

async function* messagesOf(socket: WebSocket): AsyncGenerator<[string, boolean]> {
  for await (const [data, isBinary] of on(socket, 'message')) yield [String(data), isBinary];
}
