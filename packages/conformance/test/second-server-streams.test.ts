import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type SecondServer, startSecondServer } from './second-server/start-second-server.ts';
import { type Service, startService } from './second-server/support/start-service.ts';

let service: Service;
let server: SecondServer;
let last: ServerResponse;

beforeAll(async () => {
  service = await startService((_, response) => {
    last = response;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
  });
  server = await startSecondServer({ services: { hello: service.url } });
});
afterAll(async () => {
  await server.close();
  await service.close();
});

const headersOf = (token: string) => ({
  Host: server.gatewayHost,
  Authorization: `Bearer ${token}`,
});

test('an event reaches the caller before the next one is sent', async () => {
  const headers = { ...headersOf(server.token), Accept: 'text/event-stream' };
  const [received] = (await once(
    get(`${server.gatewayUrl}/v1/cloudrun/hello/events`, { headers, agent: false }),
    'response',
  )) as [IncomingMessage];
  const chunks = received.setEncoding('utf8')[Symbol.asyncIterator]();
  expect((await chunks.next()).value).toBe('data: 1\n\n');
  last.write('data: 2\n\n');
  expect((await chunks.next()).value).toBe('data: 2\n\n');
  last.end();
  expect((await chunks.next()).done).toBe(true);
  expect(received.headers).not.toHaveProperty('content-disposition');
});

describe('a WebSocket', () => {
  /** Opens a socket through the gateway; resolves with the response to the handshake, too. */
  async function open(path: string, token = server.token) {
    const url = `${server.gatewayUrl.replace('http', 'ws')}/v1/cloudrun/hello${path}`;
    const socket = new WebSocket(url, ['first', 'last'], { headers: headersOf(token) });
    onTestFinished(() => socket.terminate());
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    socket.once('upgrade', (received) => socket.once('open', () => resolve(received)));
    socket.once('unexpected-response', (_, received) => resolve(received));
    socket.on('error', reject);
    const received = await promise;
    return { socket, received };
  }

  test('passes through with its path, subprotocol and an ID, without Content-Disposition', async () => {
    const { socket, received } = await open('/a//b?c=%2F');
    expect(service.targets.at(-1)).toBe('/a//b?c=%2F');
    expect(received.headers['x-request-id']).toMatch(/^2nd-/);
    expect(received.headers).toMatchObject({ 'x-own': 'socket' });
    expect(received.headers).not.toHaveProperty('content-disposition');
    expect(socket.protocol).toBe('last');
  });

  test('passes through text, binary messages and the close frame of the service', async () => {
    const { socket } = await open('/');
    for (const data of ['text', '中'.repeat(100_000)]) {
      socket.send(data);
      const [came, binary] = await once(socket, 'message');
      expect([String(came), binary]).toEqual([data, false]);
    }
    socket.send(Buffer.from([0, 255, 1]));
    expect(await once(socket, 'message')).toEqual([Buffer.from([0, 255, 1]), true]);
    socket.send('bye');
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4002, 'as asked']);
  });

  test.each([
    ['of the caller', 4001, (socket: WebSocket) => socket.close(4001, 'done')],
    ['of a caller that just goes away', 1006, (socket: WebSocket) => socket.terminate()],
    ['of the gateway', 1006, (_: WebSocket, { close }: SecondServer) => close()],
  ])('passes the close %s as %i', async (_, code, end) => {
    const own = await startService(() => {});
    const other = await startSecondServer({ services: { hello: own.url } });
    onTestFinished(async () => {
      await other.close();
      await own.close();
    });
    const url = `${other.gatewayUrl.replace('http', 'ws')}/v1/cloudrun/hello`;
    const socket = new WebSocket(url, { headers: headersOf(other.token) });
    await once(socket, 'open');
    end(socket, other);
    expect(await own.closed).toBe(code);
  });

  test.each(['wrong', ''])(
    'with the token "%s" is refused before the service is called',
    async (token) => {
      const { received } = await open('/closed', token);
      const [body] = await received.toArray();
      const { requestId } = JSON.parse(body);
      expect([received.statusCode, received.headers['x-request-id']]).toEqual([400, requestId]);
      expect(service.targets).not.toContain('/closed');
    },
  );

  test('passes through the response of a service that rejects it', async () => {
    const { received } = await open('/refused');
    const [body] = await received.toArray();
    expect([received.statusCode, String(body)]).toEqual([418, 'tea']);
    expect(received.headers).toMatchObject({ 'x-own': 'no', 'x-request-id': expect.any(String) });
  });
});
