import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { bearer } from '@berth/client';
import { afterEach, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { countedTokens, failureOf, serviceAt, shown } from './support/clients.ts';
import { hang, refuse, rejectT1, startServer } from './support/servers.ts';

/** Platforms hide everything that a gateway would send with the refusal of a handshake. */
const refuseUpgrade = (socket: Socket) => socket.end('HTTP/1.1 401 No\r\n\r\n');

/** Starts a server that greets immediately, unless it gets the token `t1`. */
async function greetingServer() {
  const handshakes: IncomingMessage[] = [];
  const sockets = new WebSocketServer({ noServer: true });
  const served = await startServer(rejectT1);
  served.server.on('upgrade', (request, socket: Socket, head) => {
    handshakes.push(request);
    if (request.headers.authorization === 'Bearer t1') return void refuseUpgrade(socket);
    // One chunk contains both the end of the handshake and the first message.
    socket.cork();
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.send('welcome');
      socket.uncork();
    });
  });
  return { ...served, handshakes };
}

afterEach(() => void vi.useRealTimers());

it('a WebSocket requests a new token if the handshake fails, and tries again', async () => {
  await using server = await greetingServer();
  const chat = serviceAt(server.url, countedTokens(), 'chat');
  for (const path of ['a', 'b']) (await chat.connect(path)).close();
  const sent = server.handshakes.map(({ url, headers }) => `${url} ${headers.authorization}`);
  // Node's own WebSocket repeats each handshake that got a 401 (Fetch, section 4.5).
  expect([...new Set(sent)]).toEqual([
    '/v1/cloudrun/chat/a Bearer t1',
    '/v1/cloudrun/chat/a Bearer t2',
    '/v1/cloudrun/chat/b Bearer t2',
  ]);
});

it('a WebSocket sends headers and subprotocols, misses no message, and ends with its signal', async () => {
  await using server = await greetingServer();
  const options = { auth: bearer('t'), headers: { 'X-A': 'a' } };
  const chat = serviceAt(server.url, options, 'chat');
  const reason = new Error('enough');
  const aborted = chat.connect('a', { signal: AbortSignal.abort(reason) });
  await expect(aborted).rejects.toBe(reason);
  const stop = new AbortController();
  const init = { protocols: ['chat.v2', 'chat'], headers: { 'X-B': 'b' }, signal: stop.signal };
  const socket = await chat.connect('a?b=c', init);
  expect(socket.protocol).toBe('chat.v2');
  const headers = { authorization: 'Bearer t', 'x-a': 'a', 'x-b': 'b' };
  expect(server.handshakes).toMatchObject([{ url: '/v1/cloudrun/chat/a?b=c', headers }]);
  expect(await once(socket, 'message')).toMatchObject([{ data: 'welcome' }]);
  const closed = once(socket, 'close');
  stop.abort(reason);
  await closed;
});

it.each([
  ['SERVICE_FORBIDDEN', 403, 1],
  ['ACCESS_TOKEN_EXPIRED', 401, 2],
])('a WebSocket rejects with %s, status %d, after %d tokens', async (code, status, tokens) => {
  await using server = await startServer(refuse(code, status));
  server.server.on('upgrade', (_, socket: Socket) => refuseUpgrade(socket));
  const { token, auth } = countedTokens();
  const error = await failureOf(serviceAt(server.url, { auth }, 'chat').connect('a?b=5ec'));
  const path = '/v1/cloudrun/chat/a';
  expect(error).toMatchObject({ kind: 'gateway', requestId: 'r-1', code, status, path });
  expect(shown(error)).not.toMatch(/5ec|Bearer/);
  expect(token).toHaveBeenCalledTimes(tokens);
  const requested = server.calls.map(({ url, headers }) => `${url} ${headers.authorization}`);
  const known = [`${path}?b=5ec Bearer t1`, `${path}?b=5ec Bearer t2`];
  expect(requested).toEqual(known.slice(0, tokens));
});

it('a WebSocket rejects in time if there is no response, and closes its connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await using server = await startServer(hang);
  const closed = new Promise<void>((resolve) => {
    server.server.once('upgrade', (_, socket: Socket) => {
      socket.on('end', () => socket.end()).on('close', () => resolve());
      socket.resume();
      vi.advanceTimersByTime(40);
    });
  });
  const open = serviceAt(server.url).connect('a', { timeout: 40 });
  await expect(open).rejects.toMatchObject({ kind: 'timeout' });
  await closed;
});
