import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import {
  begin,
  send,
  startGateway,
  startRawService,
  startService,
  toService,
} from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const POST = { method: 'POST', body: 'x' };

const deadOrigin = async () => `http://127.0.0.1:${await freePort()}`;

const startNamed = (name: string) => startService((_request, response) => response.end(name));

/** A service that does this with each request, by its first line. */
function startActing(act: (socket: Socket, line: string) => void) {
  return startRawService((socket) => {
    socket.on('data', (chunk) => {
      const line = chunk.toString('latin1').split('\r\n', 1)[0] as string;
      if (/^[A-Z]+ \//.test(line)) act(socket, line);
    });
  });
}

it('distributes calls to versions by weight', async () => {
  const weights = { a: 1, none: 0, b: 3 };
  const versions = await Promise.all(
    Object.entries(weights).map(async ([name, weight]) => {
      const { origin } = await startNamed(name);
      return { name, weight, endpoints: [origin] };
    }),
  );
  const { base } = await startGateway({ state: 'ready', maxCalls: 10, versions });
  const random = vi.spyOn(Math, 'random');
  const names: string[] = [];
  for (const share of [0, 0.249, 0.25, 0.999]) {
    random.mockReturnValue(share);
    names.push((await send(base, HELLO)).text);
  }
  random.mockRestore();
  expect(names).toEqual(['a', 'a', 'b', 'b']);
});

it('calls the endpoints in turn', async () => {
  const all = await Promise.all(['a', 'b', 'c'].map(startNamed));
  const { base } = await startGateway(toService(all.map(({ origin }) => origin)));
  const texts: string[] = [];
  for (let time = 0; time < 6; time += 1) texts.push((await send(base, HELLO)).text);
  expect(texts).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

it('tries the next endpoints if a connection fails, with the body untouched', async () => {
  const dead = [await deadOrigin(), await deadOrigin()];
  const { origin } = await startService((request, response) => request.pipe(response));
  const { base, gateway } = await startGateway(toService([...dead, origin]));
  for (let time = 0; time < 6; time += 1) {
    const body = `body ${time}`.repeat(1000);
    expect(await send(base, HELLO, { method: 'POST', body })).toMatchObject({ text: body });
  }
  expect(gateway.countCalls()).toBe(0);
});

it('retries a GET without a response at another endpoint, and no POST', async () => {
  const bad = await startActing((socket) => socket.end());
  const good = await startNamed('good');
  const { base } = await startGateway(toService([bad.origin, good.origin]));
  expect(await send(base, HELLO)).toMatchObject({ text: 'good' });
  expect(await send(base, HELLO)).toMatchObject({ text: 'good' });
  expect(await send(base, HELLO, POST)).toMatchObject({ code: 'BAD_GATEWAY' });
});

it('does not retry a GET whose response has begun', async () => {
  let calls = 0;
  const act = (socket: Socket) => {
    calls += 1;
    socket.end('HTTP/1.1 200 OK\r\nA: b\r\n');
  };
  const both = await Promise.all([startActing(act), startActing(act)]);
  const { base } = await startGateway(toService(both.map(({ origin }) => origin)));
  expect(await send(base, HELLO)).toMatchObject({ code: 'BAD_GATEWAY' });
  expect(calls).toBe(1);
});

it('retries a GET once on a connection that the service closes', async () => {
  const seen: string[] = [];
  const { origin } = await startRawService((socket) => {
    let calls = 0;
    socket.on('data', (chunk) => {
      calls += 1;
      seen.push(String(chunk).slice(0, 4));
      if (calls > 1) socket.resetAndDestroy();
      else socket.write(OK);
    });
  });
  const { base, gateway } = await startGateway(toService([origin]));
  expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  expect(seen).toEqual(['GET ', 'GET ', 'GET ']);
  expect(gateway.countCalls()).toBe(0);
});

it('limits the concurrent calls of a service', async () => {
  const { origin } = await startService((_request, response) => void response.write('begun'));
  const { base, gateway } = await startGateway(toService([origin], { maxCalls: 2 }));
  const first = await begin(base, HELLO);
  const second = await begin(base, HELLO);
  expect(await send(base, HELLO)).toMatchObject({
    code: 'EXCEED_RATELIMIT',
    status: 429,
    headers: { 'retry-after': '1' },
  });
  first.on('error', () => {}).destroy();
  await expect.poll(() => gateway.countCalls()).toBe(1);
  (await begin(base, HELLO)).on('error', () => {}).destroy();
  second.on('error', () => {}).destroy();
});

it('counts the calls of a version alone, also after an update', async () => {
  const { origin } = await startService((_request, response) => void response.write('begun'));
  const versions = ['a', 'b'].map((name) => ({ name, weight: 1, endpoints: [origin] }));
  const service = { state: 'ready' as const, maxCalls: 1, versions };
  const { base, update } = await startGateway(service);
  const random = vi.spyOn(Math, 'random');
  onTestFinished(() => random.mockRestore());
  const beginOn = (share: number) => {
    random.mockReturnValueOnce(share);
    return begin(base, HELLO);
  };
  const streams = [await beginOn(0), await beginOn(0.9)];
  expect(streams.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  update({ ...service });
  expect((await beginOn(0)).statusCode).toBe(429);
  for (const stream of streams) stream.on('error', () => {}).destroy();
});

it('an update closes idle connections to endpoints that no service uses any more', async () => {
  const first = await startService((_request, response) => response.end('first'));
  const second = await startService((_request, response) => response.end('second'));
  const closed = once(first.server, 'connection').then(([socket]) => once(socket, 'close'));
  const { base, update } = await startGateway(toService([first.origin]));
  expect(await send(base, HELLO)).toMatchObject({ text: 'first' });
  update(toService([second.origin]));
  await closed;
  expect(await send(base, HELLO)).toMatchObject({ text: 'second' });
});
