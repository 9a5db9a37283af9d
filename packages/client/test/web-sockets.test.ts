import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { type BerthError, bearer, type GatewayClientOptions } from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { listen } from '../../../scripts/testing/listen.ts';
import { failureOf } from './support/fake-fetch.ts';
import { type Act, faultServer, hang, refuse, serve } from './support/fault-server.ts';
import { gatewayAt } from './support/gateway.ts';
import { shown } from './support/shown.ts';

const auth = bearer('5ec.4e7');

/** Starts a server that greets immediately. */
async function greetingServer({ refused = '' } = {}) {
  const handshakes: { url: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = [];
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer(({ headers }, response) => {
    const isRefused = refused && headers.authorization === refused;
    response.writeHead(isRefused ? 401 : 200, REFUSAL_HEADERS).end(isRefused ? toRefusal() : '{}');
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    handshakes.push({ url: request.url, headers: request.headers });
    if (refused && request.headers.authorization === refused) return void refuseUpgrade(socket);
    // One chunk contains both the end of the handshake and the first message.
    socket.cork();
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.send('welcome');
      socket.uncork();
    });
  });
  const { url: baseUrl, [Symbol.asyncDispose]: dispose } = await listen(server);
  return { handshakes, baseUrl, [Symbol.asyncDispose]: dispose };
}

const REFUSAL_HEADERS = { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1' };

function toRefusal(code = 'ACCESS_TOKEN_EXPIRED'): string {
  return JSON.stringify({ code, message: 'No.', requestId: 'r-1' });
}

/** Rejects a handshake as the gateway does. */
function refuseUpgrade(socket: Socket, code?: string, status = 401): void {
  const body = toRefusal(code);
  const headers = { ...REFUSAL_HEADERS, 'Content-Length': body.length, Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} No\r\n${lines.join('')}\r\n${body}`);
}

const service = (baseUrl: string, options: Partial<GatewayClientOptions> = {}) =>
  gatewayAt(baseUrl, { auth, ...options }).service('chat');

describe('a WebSocket', () => {
  it('requests a new token if the handshake fails, and tries again', async () => {
    await using server = await greetingServer({ refused: 'Bearer t1' });
    let count = 0;
    const auth = bearer(() => `t${++count}`);
    const chat = service(server.baseUrl, { auth });
    const sockets = [await chat.connect('a'), await chat.connect('b')];
    for (const socket of sockets) socket.close();
    const sent = server.handshakes.map(({ url, headers }) => `${url} ${headers.authorization}`);
    // Node's own WebSocket repeats each handshake that got a 401 (Fetch, section 4.5).
    expect([...new Set(sent)]).toEqual([
      '/v1/cloudrun/chat/a Bearer t1',
      '/v1/cloudrun/chat/a Bearer t2',
      '/v1/cloudrun/chat/b Bearer t2',
    ]);
  });

  it('sends headers and subprotocols, and has the one that was chosen', async () => {
    await using server = await greetingServer();
    const chat = service(server.baseUrl, { headers: { 'X-A': 'a' } });
    const options = { protocols: ['chat.v2', 'chat'], headers: { 'X-B': 'b' } };
    const socket = await chat.connect('a?b=c', options);
    expect(socket.protocol).toBe('chat.v2');
    socket.close();
    expect(server.handshakes).toMatchObject([
      {
        url: '/v1/cloudrun/chat/a?b=c',
        headers: {
          authorization: 'Bearer 5ec.4e7',
          'sec-websocket-protocol': expect.stringMatching(/^chat\.v2, ?chat$/),
          'x-a': 'a',
          'x-b': 'b',
        },
      },
    ]);
  });

  it.each<[string, string, number, number]>([
    ['of the gateway', 'SERVICE_FORBIDDEN', 403, 1],
    ['of the second try', 'ACCESS_TOKEN_EXPIRED', 401, 2],
  ])('rejects with the code %s', async (_, code, status, tries) => {
    await using server = await faultServer(refuse(code, status));
    const sent = new Set<unknown>();
    server.server.on('upgrade', ({ headers }, socket: Socket) => {
      sent.add(headers.authorization);
      refuseUpgrade(socket, code, status);
    });
    let count = 0;
    const auth = bearer(() => `5ec${++count}`);
    const error = await failureOf(service(server.baseUrl, { auth }).connect('a?b=5ec'));
    const expected = { kind: 'gateway', requestId: 'r-1', code };
    expect(error).toMatchObject({ ...expected, status, path: '/v1/cloudrun/chat/a' });
    expect(shown(error)).not.toContain('5ec');
    expect([sent.size, count]).toEqual([tries, tries]);
    const requested = server.calls.map(({ url, headers }) => `${url} ${headers.authorization}`);
    const known = [...sent].map((token) => `/v1/cloudrun/chat/a?b=5ec ${token}`);
    expect(requested).toEqual(known);
  });

  it('rejects with a network error if nothing listens, even if the token fails too', async () => {
    const token = vi.fn().mockReturnValueOnce('t').mockRejectedValue(new Error('offline'));
    const chat = service('http://127.0.0.1:1', { auth: bearer(token) });
    expect(await failureOf(chat.connect('a'))).toMatchObject({ kind: 'network' });
  });

  it('rejects in time if there is no response', async () => {
    await using server = await faultServer(hang);
    const sockets = new Set<Socket>();
    server.server.on('upgrade', (_, socket: Socket) => {
      sockets.add(socket);
      socket
        .on('end', () => socket.end())
        .on('close', () => sockets.delete(socket))
        .resume();
    });
    const open = service(server.baseUrl).connect('a', { timeout: 40 });
    expect(await failureOf(open)).toMatchObject({ kind: 'timeout' });
    await expect.poll(() => sockets.size, { timeout: 300_000 }).toBe(0);
  });

  it('misses no message, and ends with its signal, before and after it is open', async () => {
    await using server = await greetingServer();
    const reason = new Error('enough');
    const aborted = service(server.baseUrl).connect('a', {
      signal: AbortSignal.abort(reason),
    });
    expect(await failureOf(aborted)).toBe(reason);
    expect(server.handshakes).toHaveLength(0);
    const stop = new AbortController();
    const socket = await service(server.baseUrl).connect('a', { signal: stop.signal });
    const message = new Promise((resolve) =>
      socket.addEventListener('message', ({ data }) => resolve(data)),
    );
    expect(await message).toBe('welcome');
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    stop.abort(reason);
    await closed;
  });
});

describe('a gateway that accepts the GET of a failed handshake', () => {
  const refuseBy404 = (_: unknown, socket: Socket) => socket.end('HTTP/1.1 404 No\r\n\r\n');

  it.each<[string, Act]>([
    ['forwards a GET', serve({})],
    ['forwards a GET that the service rejects', serve({ no: 1 }, 401)],
    ['forwards a GET that streams', (_, response) => void response.writeHead(200).write('data: 1')],
  ])('%s, and the reason stays unknown', async (_, act) => {
    await using server = await faultServer(act);
    server.server.on('upgrade', refuseBy404);
    const token = vi.fn(() => 't');
    const error = await failureOf(service(server.baseUrl, { auth: bearer(token) }).connect('a'));
    expect(error).toMatchObject({ kind: 'network' });
    expect((error as BerthError).code).toBeUndefined();
    // The gateway has accepted the token.
    expect(token).toHaveBeenCalledTimes(1);
  });
});
