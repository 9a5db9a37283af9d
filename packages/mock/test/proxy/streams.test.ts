import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createMock, type Mock } from '../../src/index.ts';
import { toHandshake } from '../helpers/handshake.ts';
import { startSocketService } from '../services/start-socket-service.ts';
import { startDeployment } from './start-deployment.ts';

const last = (of: Mock) => of.session().requests().at(-1);

test('an event arrives before the next one is sent', async () => {
  const sent = Promise.withResolvers<void>();
  await using real = await startDeployment((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'one' });
    response.write('data: 1\n\n');
    void sent.promise.then(() => response.end('data: 2\n\n'));
  });
  await using between = await createMock({ proxy: real.url });
  const headers = { accept: 'text/event-stream' };
  const { body } = await fetch(`${between.url}/v1/cloudrun/hello`, { headers });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe('data: 1\n\n');
  sent.resolve();
  expect((await reader?.read())?.value).toBe('data: 2\n\n');
  expect((await reader?.read())?.done).toBe(true);
  expect(last(between)?.responseViolations).toEqual([]);
});

test('forwards the first bytes of a body before its end', async () => {
  const seen = Promise.withResolvers<string>();
  await using real = await startDeployment((incoming, response) => {
    incoming.once('data', (chunk) => seen.resolve(String(chunk)));
    incoming.once('end', () => response.writeHead(200, { 'x-request-id': 'one' }).end());
  });
  await using between = await createMock({ proxy: real.url });
  const outgoing = request(`${between.url}/v1/cloudrun/hello`, { method: 'POST' });
  outgoing.write('first');
  expect(await seen.promise).toBe('first');
  outgoing.end('second');
  const [response] = await once(outgoing, 'response');
  expect(response.resume().statusCode).toBe(200);
});

test('aborts the call to the deployment if the client disconnects', async () => {
  const gone = Promise.withResolvers<void>();
  await using real = await startDeployment((_, response) => {
    response.once('close', gone.resolve);
    response.write('data: 1\n\n');
  });
  await using between = await createMock({ proxy: real.url });
  const controller = new AbortController();
  await fetch(`${between.url}/v1/cloudrun/hello`, { signal: controller.signal });
  controller.abort();
  await gone.promise;
});

test('cuts off a truncated response for the caller too, and reports it', async () => {
  await using real = await startDeployment((_, response) => {
    response.writeHead(200, { 'content-length': 10, 'x-request-id': 'one' });
    response.write('12345', () => response.destroy());
  });
  await using between = await createMock({ proxy: real.url });
  const reply = await fetch(`${between.url}/v1/cloudrun/hello`);
  await expect(reply.text()).rejects.toThrow();
  await expect
    .poll(() => last(between)?.responseViolations)
    .toMatchObject([{ keyword: 'incomplete' }]);
});

test('forwards a WebSocket in both directions, with subprotocol and close code', async () => {
  const service = await startSocketService();
  await using between = await createMock({ proxy: service.url });
  const url = `${between.url.replace('http', 'ws')}/v1/cloudrun/hello/live`;
  const arrived = service.next();
  const socket = new WebSocket(url, ['chat'], { headers: { authorization: 'Bearer any' } });
  await once(socket, 'open');
  const { authorization, 'sec-websocket-protocol': offered } = (await arrived).request.headers;
  expect([authorization, offered, socket.protocol]).toEqual(['Bearer any', 'chat', 'chat']);
  socket.send('中');
  expect(String((await once(socket, 'message'))[0])).toBe('中');
  socket.send(Buffer.from([0, 255]));
  expect((await once(socket, 'message'))[0]).toEqual(Buffer.from([0, 255]));
  socket.send('!close 4001');
  expect((await once(socket, 'close'))[0]).toBe(4001);
  const [found] = last(between)?.responseViolations ?? [];
  expect([last(between)?.operationId, found?.keyword]).toEqual(['cloudrun-get', 'disposition']);
  service.close();
});

test("forwards the deployment's response to a refused WebSocket", async () => {
  const upgrade = (at: Mock) => {
    const url = `${at.url.replace('http', 'ws')}/v1/cloudrun/hello/live`;
    const socket = new WebSocket(url);
    socket.on('error', () => {});
    return once(socket, 'unexpected-response') as Promise<[unknown, IncomingMessage]>;
  };
  await using open = await createMock();
  await using mock = await createMock({ proxy: open.url });
  const [, refused] = await upgrade(mock);
  expect([refused.statusCode, JSON.parse(await text(refused)).code]).toEqual([
    401,
    'MISSING_CREDENTIALS',
  ]);
  const { url, close } = await createMock();
  await close();
  await using between = await createMock({ proxy: url });
  const [, gone] = await upgrade(between);
  const error = JSON.parse(await text(gone));
  expect([gone.statusCode, error.code]).toEqual([502, 'BAD_GATEWAY']);
  expect(error.requestId).toBe(gone.headers['x-request-id']);
});

describe('a handshake that the deployment has not responded to', async () => {
  const service = await startSocketService();
  const between = await createMock({ proxy: service.url });
  afterAll(async () => {
    await between.close();
    service.close();
  });
  async function begin(sent = '') {
    const arrived = service.next();
    const caller = connect(between.port, '127.0.0.1');
    caller.on('error', () => {});
    caller.write(`${toHandshake('/silent')}${sent}`, 'latin1');
    return { caller, deployment: (await arrived).connection };
  }

  test.each<[string, string, (caller: Socket) => void]>([
    ['ends', '', (caller) => caller.end()],
    ['ends after a first frame', '\x81\x82\0\0\0\0hi', (caller) => caller.end()],
    ['is lost', '', (caller) => caller.resetAndDestroy()],
  ])("is abandoned when its caller's connection %s", async (_, sent, leave) => {
    const { caller, deployment } = await begin(sent);
    leave(caller);
    await once(deployment.resume(), 'end');
    if (!caller.destroyed) await once(caller.resume(), 'close');
  });
});
