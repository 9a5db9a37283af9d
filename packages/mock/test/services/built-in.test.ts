import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { AUTH, get, post, startServices } from './start-services.ts';

const started = await startServices();
afterAll(() => started[Symbol.asyncDispose]());

test('echo returns the request', async () => {
  const response = await post(started, 'echo/a%2Fb//中?x=%31', '{"a":"中"}', { 'x-own': '1' });
  const echoed = await response.json();
  expect(echoed).toMatchObject({
    method: 'POST',
    target: '/a%2Fb//%E4%B8%AD?x=%31',
    headers: { 'x-own': '1', 'content-type': 'text/plain;charset=UTF-8' },
    body: '{"a":"中"}',
  });
  expect(echoed.headers).not.toHaveProperty('authorization');
  const bytes = await post(started, 'echo', new Uint8Array([255, 0]));
  expect(await bytes.json()).toMatchObject({ target: '/', base64: '/wA=' });
  expect(await (await get(started, 'echo')).json()).toMatchObject({ method: 'GET', body: '' });
});

test('echo responds with the requested status, and with a broken body', async () => {
  for (const status of [204, 299, 404, 503]) {
    const response = await get(started, `echo/status/${status}`);
    expect([response.status, response.headers.get('x-svc-upstream-status-code')]).toEqual([
      status,
      String(status),
    ]);
  }
  expect(await (await get(started, 'echo/status/418')).json()).toEqual({ status: 418 });
  expect((await get(started, 'echo/status/99')).status).toBe(400);
  expect(await (await get(started, 'echo/broken')).text()).toBe('{"broken":');
});

test('echo sends events of the query or the body', async () => {
  const accept = { accept: 'text/event-stream' };
  const query = await get(started, 'echo?data=a&data=b', { headers: accept });
  expect(await query.text()).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\n\n');
  const again = { ...accept, 'last-event-id': '1' };
  expect(await (await post(started, 'echo', 'x\ny', again)).text()).toBe('id: 2\ndata: y\n\n');
});

test('echo sends messages back, and closes on request', async () => {
  const address = `ws://127.0.0.1:${started.port}/v1/cloudrun/echo/room?x=1`;
  const socket = new WebSocket(address, ['chat', 'other'], { headers: AUTH });
  await once(socket, 'open');
  expect(socket.protocol).toBe('chat');
  socket.send('中 text');
  expect(String((await once(socket, 'message'))[0])).toBe('中 text');
  socket.send('close 4001');
  expect((await once(socket, 'close'))[0]).toBe(4_001);
});
