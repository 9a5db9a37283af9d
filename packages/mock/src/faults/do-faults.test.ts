import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createCors, createGatewayRouter, defaultWireProfile } from '@berth/server-stubs';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { doUpgradeFaults, wait } from './do-faults.ts';
import { FaultRules } from './fault-rules.ts';
import { parseFaultFlag } from './parse-fault.ts';

const rules = new FaultRules({ seed: 'a', clock: { now: Date.now } });
const gateway = createGatewayRouter(
  {
    'cloudrun-get': () => ({ status: 200 }),
    webSocket: () => ({
      status: 101,
      headers: {},
      open(socket) {
        socket.write('hello');
        socket.write(' world');
        socket.on('data', (chunk) => socket.write(chunk)).on('end', () => socket.end());
      },
    }),
  },
  { security: { bearerToken: () => true, signature: () => true } },
);
let noted: readonly string[] = [];
const server = createServer({ shouldUpgradeCallback: gateway.shouldUpgrade });
server.on('upgrade', (incoming, socket, head) =>
  doUpgradeFaults(
    {
      request: incoming,
      socket,
      rules,
      subject: () => ({ surface: 'gateway', operationId: 'cloudrun-get', service: 'chat' }),
      cors: createCors('gateway', defaultWireProfile),
      profile: defaultWireProfile,
      note(names) {
        noted = names;
      },
    },
    () => gateway.upgrade(incoming, socket, head),
  ),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
afterAll(() => server.close());
beforeEach(() => {
  rules.clear();
  noted = [];
});

const put = (flag: string) => rules.put(parseFaultFlag('a', flag));

/** Requests a WebSocket; returns the response or the socket. */
async function open(headers: Record<string, string> = {}) {
  const outgoing = request({
    port,
    host: '127.0.0.1',
    path: '/v1/cloudrun/chat/room',
    headers: {
      authorization: 'Bearer any',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
      ...headers,
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<[IncomingMessage, Socket?, Buffer?]>();
  outgoing.on('response', (response) => resolve([response]));
  outgoing.on('upgrade', (...opened) => resolve(opened));
  outgoing.on('error', reject).end();
  return promise;
}

/** Returns what is received until the connection is lost, and the error. */
async function readAll([, socket, head]: Awaited<ReturnType<typeof open>>) {
  let text = head?.toString() ?? '';
  socket?.on('data', (chunk) => {
    text += chunk;
  });
  const [error] = await Promise.race([
    once(socket as Socket, 'end').then(() => []),
    once(socket as Socket, 'error'),
  ]).catch((failure) => [failure]);
  return { text, code: (error as NodeJS.ErrnoException | undefined)?.code };
}

test('opens a WebSocket without faults', async () => {
  const [response, socket, head] = await open();
  expect(response.statusCode).toBe(101);
  let text = head?.toString() ?? '';
  for (; text !== 'hello world'; text += (await once(socket as Socket, 'data'))[0]);
  socket?.destroy();
  expect(noted).toEqual([]);
});

test('sends a code as an ordinary response before the upgrade', async () => {
  put('service:chat:code=SERVICE_NOT_READY');
  const [response] = await open({ origin: 'http://a.test' });
  expect(response.statusCode).toBe(503);
  expect(response.headers).toMatchObject({
    'retry-after': '1',
    connection: 'close',
    'access-control-allow-origin': '*',
  });
  const [body] = await response.toArray();
  expect(JSON.parse(body)).toMatchObject({
    code: 'SERVICE_NOT_READY',
    requestId: response.headers['x-request-id'],
  });
  expect(noted).toEqual(['a']);
});

test('reports an invalid header before the upgrade', async () => {
  const [response] = await open({ 'x-mock-fault': 'reste' });
  expect(response.statusCode).toBe(400);
  expect(String(await response.toArray())).toContain('do you mean reset?');
});

test('resets before the upgrade', async () => {
  put('reset');
  await expect(open()).rejects.toMatchObject({ code: 'ECONNRESET', syscall: 'read' });
});

test('applies latency before the upgrade', async () => {
  put('latency=80');
  const start = performance.now();
  const [response, socket] = await open();
  expect(response.statusCode).toBe(101);
  expect(performance.now() - start).toBeGreaterThanOrEqual(79);
  socket?.destroy();
});

test.each([
  ['truncate=7', 'hello w', undefined],
  ['reset=5', 'hello', 'ECONNRESET'],
  ['truncate=0', '', undefined],
])('%s counts the bytes after the head', async (flag, text, code) => {
  put(flag);
  const opened = await open();
  expect(opened[0].statusCode).toBe(101);
  expect(await readAll(opened)).toEqual({ text, code });
});

describe('a wait', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('ends after the given time', () => {
    const then = vi.fn();
    const connection = new EventEmitter();
    wait(1_500, connection, then);
    vi.advanceTimersByTime(1_499);
    expect(then).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(then).toHaveBeenCalledOnce();
    expect(connection.listenerCount('close')).toBe(0);
  });

  test('continues synchronously without a delay', () => {
    const then = vi.fn();
    wait(0, new EventEmitter(), then);
    expect(then).toHaveBeenCalledOnce();
  });

  test('is cancelled if the client disconnects', () => {
    const then = vi.fn();
    const connection = new EventEmitter();
    wait(1_500, connection, then);
    connection.emit('close');
    expect(vi.getTimerCount()).toBe(0);
    expect(then).not.toHaveBeenCalled();
  });
});
