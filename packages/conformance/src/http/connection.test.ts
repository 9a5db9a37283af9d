import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from '../../../../scripts/testing/listen.ts';
import { toSettings } from '../options.ts';
import { Run } from '../run/run.ts';
import { within } from './connection.ts';

test('data that arrives in time is read, even if the process was blocked until after the limit', async () => {
  const server = createServer();
  await using target = await listen(server);
  const accepted = once(server, 'connection');
  const socket = connect(Number(new URL(target.url).port), '127.0.0.1');
  const [[peer]] = (await Promise.all([accepted, once(socket, 'connect')])) as [[Socket], unknown];
  const read = within(20, once(socket, 'data'), new Error('late'));
  peer.write('a');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40);
  expect(await read).toEqual([Buffer.from('a')]);
  socket.destroy();
});

test('a server whose rejections of handshakes have no end has not stopped responding', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).write('HTTP/1.1 403 Forbidden\r\n\r\na');
  });
  await using target = await listen(server);
  const settings = toSettings({ gatewayUrl: target.url, timeout: 0.1 });
  const { caller } = new Run(settings, new AbortController().signal);
  const call = { method: 'GET', url: target.url, headers: [], body: Buffer.alloc(0) };
  for (let made = 0; made < 13; made += 1) {
    await expect(caller.upgrade(call, [])).rejects.toMatchObject({ code: 'TIMEOUT' });
  }
});
