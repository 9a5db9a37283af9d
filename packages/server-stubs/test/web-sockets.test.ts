import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  createGatewayRouter,
  type GatewayHandlers,
  type GatewayRouterOptions,
  toUpgradeOptions,
} from '@berth/server-stubs';
import { expect, it, vi } from 'vitest';
import { filterUpgrades } from '../src/runtime/upgrade-response.ts';
import { open, receive, sendRaw } from './support/send-raw.ts';
import { serve } from './support/serve.ts';

const HEAD =
  'GET /v1/cloudrun/hello/ws HTTP/1.1\r\nHost: dev.example\r\nConnection: Upgrade\r\n' +
  'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const TOKEN = 'Authorization: Bearer token\r\n';

async function start(
  handlers: GatewayHandlers<boolean>,
  options: Partial<GatewayRouterOptions<boolean>> = {},
): Promise<string> {
  const router = createGatewayRouter(handlers, {
    env: 'dev',
    security: { bearerToken: (token) => token === 'token', signature: () => false },
    ...options,
  });
  const server = createServer(toUpgradeOptions(router.shouldUpgrade), router);
  server.on('upgrade', router.upgrade);
  return serve(server);
}

const get = () => ({ status: 200 });

it('hands over a connection whose 101 it has written', async () => {
  const base = await start({
    call: get,
    webSocket: ({ target }, { caller, env }) => ({
      status: 101,
      headers: {
        'Sec-WebSocket-Protocol': 'chat',
        'Content-Disposition': 'a',
        'Content-Length': '9',
      },
      open: (socket, head) => socket.end(`${target} ${caller} ${env} ${head}`),
    }),
  });
  const text = await sendRaw(base, `${HEAD}${TOKEN}\r\nearly`);
  expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
  expect(text).toMatch(/sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/i);
  expect(text).toMatch(/sec-websocket-protocol: chat\r\n/i);
  expect(text).toMatch(/x-request-id: [\da-f-]{36}\r\n/i);
  expect(text).not.toMatch(/content-(?:disposition|length)/i);
  expect(text).toMatch(/\r\n\r\n\/ws true dev early$/);
});

it.each([
  ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Key: short'],
  ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n', ''],
  ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Version: 8'],
  ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: a, a'],
  ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: a,,b'],
])('rejects a broken handshake before the handler, %s as "%s"', async (sound, broken) => {
  const webSocket = vi.fn(() => ({ status: 200 }));
  const base = await start({ call: get, webSocket });
  const text = await sendRaw(base, `${HEAD.replace(sound, broken)}${TOKEN}\r\n`);
  expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*INVALID_REQUEST/);
  expect(text).toMatch(/x-request-id: [\da-f-]{36}\r\n/i);
  // RFC 6455, section 4.4.
  if (broken.endsWith(' 8')) expect(text).toMatch(/sec-websocket-version: 13\r\n/i);
  expect(webSocket).not.toHaveBeenCalled();
});

// As Java's `HttpClient` does by default.
it('ignores an upgrade to HTTP/2, and any of an HTTP/1.0 request, on any version of Node', async () => {
  const security = { bearerToken: () => true, signature: () => true };
  const call: GatewayHandlers['call'] = ({ body = '' }) => ({ status: 200, body });
  const webSocket = () => ({ status: 202 });
  const router = createGatewayRouter({ call, webSocket }, { env: 'dev', security });
  // Without `shouldUpgradeCallback`, as before Node.js 22.21.
  const Request = filterUpgrades(router.shouldUpgrade, IncomingMessage);
  const server = createServer({ IncomingMessage: Request }, router).on('upgrade', router.upgrade);
  server.on('connect', (_, socket) => socket.end('tunnel'));
  const base = await serve(server);
  const post = HEAD.replace('GET', 'POST').replace('Upgrade: websocket', 'Upgrade: h2c');
  const socket = await open(base);
  socket.write(`${post}${TOKEN}Content-Length: 5\r\n\r\nfi`);
  socket.write('rst');
  await receive(socket, 'first');
  socket.write(`${post}${TOKEN}Transfer-Encoding: chunked\r\n\r\n6\r\nsecond\r\n0\r\n\r\n`);
  await receive(socket, 'second');
  socket.write(`${HEAD}${TOKEN}\r\n`);
  await receive(socket, 'HTTP/1.1 202 ');
  const old = await sendRaw(base, `${HEAD.replace('HTTP/1.1', 'HTTP/1.0')}${TOKEN}\r\n`);
  expect(old).toMatch(/^HTTP\/1\.1 200 /);
  expect(await sendRaw(base, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('tunnel');
});

it('keeps data for the WebSocket that arrives while the handler runs', async () => {
  const asked = Promise.withResolvers<void>();
  const base = await start({
    call: get,
    async webSocket(_input, { request }) {
      asked.resolve();
      await once(request.socket, 'readable');
      return {
        status: 101,
        headers: {},
        open(socket, head) {
          socket.unshift(head);
          socket.pipe(socket);
        },
      };
    },
  });
  const socket = await open(base);
  socket.write(`${HEAD}${TOKEN}\r\nfirst `);
  await asked.promise;
  socket.write('second ');
  await receive(socket, 'first second ');
  socket.write('third');
  await receive(socket, 'third');
  socket.destroy();
});

it('ends a connection that asks for a WebSocket while an earlier call is in progress', async () => {
  const webSocket = vi.fn(() => ({ status: 200 }));
  const left = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const base = await start({
    call: async (_input, { signal }) => {
      asked.resolve();
      if (!signal.aborted) await once(signal, 'abort');
      left.resolve();
      return { status: 200 };
    },
    webSocket,
  });
  const socket = await open(base);
  socket.write(`GET /v1/cloudrun/hello/slow HTTP/1.1\r\nHost: dev.example\r\n${TOKEN}\r\n`);
  await asked.promise;
  socket.write(`${HEAD}${TOKEN}\r\n`);
  expect((await buffer(socket)).toString()).toBe('');
  await left.promise;
  expect(webSocket).not.toHaveBeenCalled();
});

it('closes a connection whose `open` throws, and reports the error', async () => {
  const onError = vi.fn();
  const open = () => {
    throw new Error('broken');
  };
  const headers = { 'Sec-WebSocket-Accept': 'forged' };
  const webSocket = () => ({ status: 101, headers, open }) as const;
  const base = await start({ call: get, webSocket }, { onError });
  const text = await sendRaw(base, `${HEAD}${TOKEN}\r\n`);
  expect(text).toMatch(/sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/i);
  expect(text).not.toMatch(/forged/);
  expect(onError.mock.lastCall?.[0].message).toBe('broken');
});

it('only reports a 101 that is written', async () => {
  const onResponse = vi.fn();
  const webSocket = () => ({ status: 101, headers: { 'x-a': 'a\nb' }, open() {} }) as const;
  const base = await start({ call: get, webSocket }, { onResponse, onError() {} });
  expect(await sendRaw(base, `${HEAD}${TOKEN}\r\n`)).toMatch(/^HTTP\/1\.1 500 /);
  expect(onResponse.mock.calls.map(([{ status }]) => status)).toEqual([500]);
});
