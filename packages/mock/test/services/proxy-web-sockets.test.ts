import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createMock } from '../../src/index.ts';
import { toHandshake } from '../helpers/handshake.ts';
import { startSocketService } from './start-socket-service.ts';

// The conformance suite opens its WebSockets through a proxied service, too.
const AUTH = { authorization: 'Bearer any' };
const service = await startSocketService();
const services = { real: { proxy: service.url }, gone: { proxy: 'http://127.0.0.1:1' } };
const mock = await createMock({ services });
afterAll(async () => {
  await mock.close();
  service.close();
});

const toAddress = (path: string, { url }: { url: string } = mock) =>
  `${url.replace('http', 'ws')}/v1/cloudrun/real/${path}`;

/** Requests a WebSocket; resolves with the response in its place. */
async function refusalOf(path: string) {
  const socket = new WebSocket(toAddress(path), { headers: AUTH });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

test('a WebSocket of a proxied service is lost on both sides when one loses it', async () => {
  const open = async () => {
    const socket = new WebSocket(toAddress(''), { headers: AUTH });
    await once(socket, 'open');
    return socket;
  };
  const socket = await open();
  socket.send('!cut');
  expect((await once(socket, 'close'))[0]).toBe(1_006);
  const other = await open();
  const real = service.sockets.at(-1) as WebSocket;
  other.terminate();
  expect((await once(real, 'close'))[0]).toBe(1_006);
  expect(mock.session().requests().at(-1)).toMatchObject({ service: 'real' });
});

describe('a handshake', () => {
  test('is refused if the service cannot be reached', async () => {
    const { status, text } = await refusalOf('../gone/a');
    expect([status, JSON.parse(text).code]).toEqual([502, 'SERVICE_LB_STATUS_ABNORMAL']);
  });

  test('is refused if the service opens something else', async () => {
    const { status, text } = await refusalOf('h2c');
    expect([status, JSON.parse(text).code]).toEqual([502, 'BAD_GATEWAY']);
    expect(text).toContain('an upgrade to h2c that was not requested.');
  });

  test('ends when the connection of its caller is lost', async () => {
    const arrived = service.next();
    const caller = connect(mock.port, '127.0.0.1');
    caller.write(toHandshake('/v1/cloudrun/real/silent'));
    const { connection } = await arrived;
    caller.resetAndDestroy();
    await once(connection.resume(), 'end');
  });
});
