import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { bearer, createGatewayClient, type GatewayClientOptions } from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import { WebSocketServer, WebSocket as WsSocket } from 'ws';
import { failureOf } from './support/fake-fetch.ts';
import { faultServer, hang, refuse } from './support/fault-server.ts';

const auth = bearer('5ec.4e7');

/** A server that greets at once and sends each message back. */
async function echoServer() {
  const handshakes: { url: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = [];
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered].find((name) => !name.startsWith('berth.')) ?? false,
  });
  const server = createServer();
  const closed = new Promise<number>((resolve) =>
    sockets.on('connection', (socket) => socket.on('close', resolve)),
  );
  server.on('upgrade', (request, socket: Socket, head) => {
    handshakes.push({ url: request.url, headers: request.headers });
    // One piece holds the end of the handshake and the first message.
    socket.cork();
    sockets.handleUpgrade(request, socket, head, (opened) => {
      sockets.emit('connection', opened);
      opened.send('welcome');
      opened.on('message', (data, isBinary) => opened.send(data, { binary: isBinary }));
      socket.uncork();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    handshakes,
    closed,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const service = (baseUrl: string, options: object = {}) =>
  createGatewayClient({ auth, ...options, baseUrl } as GatewayClientOptions).service('chat');

function nextMessage(socket: WebSocket): Promise<unknown> {
  return new Promise((resolve) =>
    socket.addEventListener('message', ({ data }) => resolve(data), { once: true }),
  );
}

const withWs: object = {
  webSocket: (url: string, protocols: string[], headers: Record<string, string>) =>
    new WsSocket(url, protocols, { headers }),
};

describe.each([
  ['of the platform', {}],
  ['of the package ws', withWs],
])('a WebSocket %s', (_, options) => {
  it('passes text and bytes both ways, with its credentials as a header', async () => {
    await using server = await echoServer();
    const socket = await service(server.baseUrl, options).connect('room/1?x=1', {
      protocols: ['a', 'b'],
    });
    expect(await nextMessage(socket)).toBe('welcome');
    socket.binaryType = 'arraybuffer';
    socket.send('hello');
    expect(await nextMessage(socket)).toBe('hello');
    socket.send(new Uint8Array([1, 2, 255]));
    expect(new Uint8Array((await nextMessage(socket)) as ArrayBuffer)).toEqual(
      new Uint8Array([1, 2, 255]),
    );
    expect(socket.protocol).toBe('a');
    socket.close(4001);
    expect(await server.closed).toBe(4001);
    const [{ url, headers } = { url: '', headers: {} }] = server.handshakes;
    expect(url).toBe('/v1/cloudrun/chat/room/1?x=1');
    expect(headers.authorization).toBe('Bearer 5ec.4e7');
    expect(headers['sec-websocket-protocol']?.toString().replace(' ', '')).toBe('a,b');
  });

  it('rejects where the gateway refuses, without a word of the token', async () => {
    await using server = await faultServer(refuse('INVALID_CREDENTIALS', 401));
    server.server.on('upgrade', (_, socket: Socket) => socket.end('HTTP/1.1 401 No\r\n\r\n'));
    const error = await failureOf(service(server.baseUrl, options).connect('a?s=5ec4e7'));
    expect(error).toMatchObject({ name: 'NetworkError', path: '/v1/cloudrun/chat/a' });
    expect(`${error} ${JSON.stringify(error)} ${String((error as Error).cause)}`).not.toContain(
      '5ec',
    );
  });

  it('rejects in time where no answer comes', async () => {
    await using server = await faultServer(hang);
    let ended = () => {};
    const gone = new Promise<void>((resolve) => {
      ended = resolve;
    });
    server.server.on('upgrade', (_, socket: Socket) => {
      socket
        .on('end', () => socket.end())
        .on('close', ended)
        .resume();
    });
    const open = service(server.baseUrl, options).connect('a', { timeouts: { perTry: 40 } });
    expect(await failureOf(open)).toMatchObject({ name: 'TimeoutError', timeout: 40 });
    await gone;
  });

  it('ends with its signal, before and after it is open', async () => {
    await using server = await echoServer();
    const reason = new Error('enough');
    const aborted = service(server.baseUrl, options).connect('a', {
      signal: AbortSignal.abort(reason),
    });
    expect(await failureOf(aborted)).toBe(reason);
    expect(server.handshakes).toHaveLength(0);
    const stop = new AbortController();
    const socket = await service(server.baseUrl, options).connect('a', { signal: stop.signal });
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    stop.abort(reason);
    await closed;
  });
});

describe('where a platform can send no headers', () => {
  /** As a browser does it: anything but names of subprotocols is refused. */
  class BrowserSocket extends WebSocket {
    constructor(url: string, protocols: string | string[] = []) {
      const names = Array.isArray(protocols) ? protocols : [String(protocols)];
      if (names.includes('[object Object]')) throw new DOMException('not valid', 'SyntaxError');
      super(url, names);
    }
  }
  const onBrowser = async <T>(run: () => Promise<T>): Promise<T> => {
    vi.stubGlobal('WebSocket', BrowserSocket);
    return run().finally(() => vi.unstubAllGlobals());
  };

  it('the token goes as a subprotocol, which the server does not choose', async () => {
    await using server = await echoServer();
    const socket = await onBrowser(() => service(server.baseUrl).connect('', { protocols: ['a'] }));
    expect(server.handshakes[0]?.headers.authorization).toBeUndefined();
    expect(
      server.handshakes[0]?.headers['sec-websocket-protocol']?.toString().replace(' ', ''),
    ).toBe('a,berth.bearer.5ec.4e7');
    expect(socket.protocol).toBe('a');
  });

  it.each([
    ['a signature', { authorize: () => 'TC3-HMAC-SHA256 Credential=5ec4e7' }],
    ['a token of other characters', bearer('5ec4e7==')],
  ])('%s is refused, and not shown', async (_, other) => {
    const open = () => service('http://127.0.0.1:1', { auth: other }).connect();
    const error = await failureOf(onBrowser(open));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain('5ec');
  });

  it('and where there is no WebSocket at all, one is asked for', async () => {
    vi.stubGlobal('WebSocket', undefined);
    const error = await failureOf(service('http://127.0.0.1:1').connect());
    vi.unstubAllGlobals();
    expect(String(error)).toContain('pass one as `webSocket`');
  });
});
