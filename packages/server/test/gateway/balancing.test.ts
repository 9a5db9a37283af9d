import type { Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { Endpoint } from '../../src/gateway/endpoint.ts';
import { startRawService, startService } from '../server/support/hosted-service.ts';
import { serving, startServer } from '../server/support/start-server.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const STATUS = 'HTTP/1.1 200 OK\r\nA: b\r\n';
const POST = { method: 'POST', body: 'x' };

const deadOrigin = async () => `http://127.0.0.1:${await freePort()}`;

const startCalling = (...endpoints: string[]) => startServer({}, serving(...endpoints));

const startNamed = (name: string) => startService((_request, response) => response.end(name));

it('distributes calls to versions by weight', async () => {
  const weights = { a: 1, none: 0, b: 3 };
  const toVersion = async ([name, weight]: [string, number]) => ({
    name,
    weight,
    endpoints: [await startNamed(name)],
  });
  const versions = await Promise.all(Object.entries(weights).map(toVersion));
  const { send } = await startServer({}, { services: { hello: { versions } } });
  const random = vi.spyOn(Math, 'random');
  onTestFinished(() => random.mockRestore());
  const names: string[] = [];
  for (const share of [0, 0.249, 0.25, 0.999]) {
    random.mockReturnValue(share);
    names.push((await send()).text);
  }
  expect(names).toEqual(['a', 'a', 'b', 'b']);
});

it('calls the endpoints in turn', async () => {
  const all = await Promise.all(['a', 'b', 'c'].map(startNamed));
  const { send } = await startCalling(...all);
  const texts: string[] = [];
  for (let time = 0; time < 6; time += 1) texts.push((await send()).text);
  expect(texts).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

it('tries the next endpoints if a connection fails, with the body untouched', async () => {
  const dead = [await deadOrigin(), await deadOrigin()];
  const origin = await startService((request, response) => request.pipe(response));
  const { send, metric } = await startCalling(...dead, origin);
  for (let time = 0; time < 6; time += 1) {
    const body = `body ${time}`.repeat(1000);
    expect(await send({ method: 'POST', body })).toMatchObject({ text: body });
  }
  expect(await metric('berth_service_calls_active')).toBe(0);
});

it('tries at most three endpoints if connections fail', async () => {
  const dead = await Promise.all([deadOrigin(), deadOrigin(), deadOrigin()]);
  const { send } = await startCalling(...dead, await startNamed('good'));
  expect(await send(POST)).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
  expect(await send(POST)).toMatchObject({ text: 'good' });
});

it.each([
  ['closes', 'GET', 2, 'BAD_GATEWAY', (socket: Socket) => socket.end()],
  ['closes', 'POST', 1, 'BAD_GATEWAY', (socket: Socket) => socket.end()],
  ['is silent', 'GET', 1, 'SERVICE_TIMEOUT', () => {}],
  ['closes after its status', 'GET', 1, 'BAD_GATEWAY', (socket: Socket) => socket.end(STATUS)],
])('if each endpoint %s, calls of %s are sent to %i', async (_, method, count, code, act) => {
  let calls = 0;
  const onConnection = (socket: Socket) =>
    socket.once('data', () => {
      calls += 1;
      act(socket);
    });
  const start = () => startRawService(onConnection);
  const endpoints = await Promise.all([start(), start(), start()]);
  const hello = { endpoints, headersSeconds: 0.2 };
  const { send } = await startServer({}, { services: { hello } });
  expect(await send({ method })).toMatchObject({ code });
  expect(calls).toBe(count);
});

it('retries a GET without a response at another endpoint', async () => {
  const bad = await startRawService((socket) => socket.once('data', () => socket.end()));
  const good = await startNamed('good');
  const { send } = await startCalling(bad, good);
  expect(await send()).toMatchObject({ text: 'good' });
  expect(await send()).toMatchObject({ text: 'good' });
});

it('retries a GET once on a connection that the service closes', async () => {
  const seen: string[] = [];
  const origin = await startRawService((socket) => {
    let calls = 0;
    socket.on('data', (chunk) => {
      calls += 1;
      seen.push(String(chunk).slice(0, 4));
      if (calls > 1) socket.resetAndDestroy();
      else socket.write(OK);
    });
  });
  const { send, metric } = await startCalling(origin);
  expect(await send()).toMatchObject({ text: 'ok' });
  expect(await send()).toMatchObject({ text: 'ok' });
  expect(seen).toEqual(['GET ', 'GET ', 'GET ']);
  expect(await metric('berth_service_calls_active')).toBe(0);
});

it.each<[string, (socket: Socket) => void]>([
  ['at once', (socket) => socket.end()],
  ['after 5 ms', (socket) => setTimeout(() => socket.end(), 5)],
  ['by a reset after 5 ms', (socket) => setTimeout(() => socket.resetAndDestroy(), 5)],
])('a POST neither fails nor is repeated if connections are closed %s', async (_when, close) => {
  const executed = new Map<string, number>();
  const origin = await startRawService((socket) => {
    socket.on('data', (chunk) => {
      const id = /x-id: (\d+)/.exec(String(chunk))?.[1] ?? '';
      executed.set(id, (executed.get(id) ?? 0) + 1);
      socket.write(OK.replace('\r\n', '\r\nKeep-Alive: timeout=60\r\n'));
      close(socket);
    });
  });
  const { send } = await startCalling(origin);
  for (let id = 0; id < 40; id += 1) {
    // A GET in between uses the kept connections.
    if (id % 4 === 3) expect(await send()).toMatchObject({ text: 'ok' });
    const headers = { 'x-id': String(id) };
    expect(await send({ ...POST, headers })).toMatchObject({ text: 'ok' });
  }
  executed.delete('');
  expect(new Set(executed.values())).toEqual(new Set([1]));
});

it('reuses a connection for a POST if the service has been seen to keep it for a second', async () => {
  const sockets: Socket[] = [];
  const origin = await startRawService((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => String(chunk).includes(' HTTP/1.1\r\n') && socket.write(OK));
  });
  const { send } = await startCalling(origin);
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  const connectionsAfter = async (posts: number) => {
    const sent = await Promise.all(Array.from({ length: posts }, () => send(POST)));
    expect(sent.map(({ text }) => text)).toEqual(Array(posts).fill('ok'));
    return sockets.length;
  };
  expect(await connectionsAfter(1)).toBe(1);
  expect(await connectionsAfter(1)).toBe(2);
  now.mockReturnValue(1500);
  // Both have been idle for longer than a second, and are open: new ones will be for a second.
  expect(await connectionsAfter(1)).toBe(3);
  expect(await connectionsAfter(1)).toBe(3);
  expect(await connectionsAfter(2)).toBe(4);
  now.mockReturnValue(1600);
  sockets[3]?.destroy();
  // It notices that the connection is closed, at the latest when it uses it.
  expect(await send()).toMatchObject({ text: 'ok' });
  const opened = sockets.length;
  expect(await connectionsAfter(1)).toBe(opened + 1);
});

it('closes the connection that was used longest ago if too many are idle', async () => {
  const endpoint = new Endpoint(await deadOrigin());
  // One more than it keeps.
  const connections = Array.from({ length: 257 }, () => endpoint.connect('none'));
  for (const connection of connections) endpoint.release(connection);
  const isClosed = connections.map(({ destroyed }) => destroyed);
  expect([isClosed.indexOf(true), isClosed.lastIndexOf(true)]).toEqual([0, 0]);
  expect(endpoint.connect('any')).toBe(connections.at(-1));
  endpoint.close();
});

it('limits the concurrent calls of a service', async () => {
  const origin = await startService((_request, response) => void response.write('begun'));
  const hello = { endpoints: [origin], maxCalls: 2 };
  const { begin, send, metric } = await startServer({}, { services: { hello } });
  const [first] = await Promise.all([begin(), begin()]);
  const refused = { code: 'EXCEED_RATELIMIT', status: 429, headers: { 'retry-after': '1' } };
  expect(await send()).toMatchObject(refused);
  first.on('error', () => {}).destroy();
  await expect.poll(() => metric('berth_service_calls_active')).toBe(1);
  await begin();
});

it('counts a call although a reload removes its endpoint, also after another reload', async () => {
  const origin = await startService((_request, response) => void response.write('begun'));
  const hello = { endpoints: [origin], maxCalls: 1 };
  const { begin, send, metric, server, config } = await startServer({}, { services: { hello } });
  await begin();
  const { dev } = config.environments;
  await server.reload({ ...config, environments: { dev: { ...dev, services: {} } } });
  expect(await metric('berth_service_calls_active')).toBe(1);
  await server.reload(config);
  expect(await send()).toMatchObject({ code: 'EXCEED_RATELIMIT' });
});
