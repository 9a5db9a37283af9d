import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { createServer as createBerthServer } from '../../src/index.ts';
import { HANDSHAKE, open, receive } from '../support/send-raw.ts';
import { Cli, startConfigured } from './support/cli.ts';
import { startListening } from './support/hosted-service.ts';
import { makeCertificate, trust } from './support/make-certificate.ts';
import { makeFolder, serving, startInFront, startServer } from './support/start-server.ts';

const ABORTED = 'aborted calls that did not finish before the shutdown deadline';

test.each(['http', 'https'])('over %s, calls in flight finish', async (scheme) => {
  const tls = scheme === 'https' ? await makeCertificate('localhost') : undefined;
  if (tls) await trust(tls.cert);
  const { resolve: open, promise: opened } = Promise.withResolvers<void>();
  const listen = { port: 0, shutdownSeconds: 60, ...(tls && { tls }) };
  const { server, adminUrl, url, port, token, lines } = await startInFront(
    async (_, response) => {
      response.write('begun ');
      await opened;
      response.end('ended');
    },
    { listen },
  );
  const address = { port, host: 'localhost' };
  const idle = tls ? connectTls(address) : connect(address);
  await once(idle.resume(), tls ? 'secureConnect' : 'connect');
  const idleClosed = once(idle, 'close');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${scheme}://localhost:${port}/v1/cloudrun/hello`, { headers });
  const closed = server.close();
  const ready = await fetch(`${adminUrl}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, 'draining\n']);
  await expect(fetch(url)).rejects.toThrow();
  await idleClosed;
  open();
  expect(await response.text()).toBe('begun ended');
  await closed;
  await expect(fetch(`${adminUrl}`)).rejects.toThrow();
  expect(lines.some(({ msg }) => msg === ABORTED)).toBe(false);
});

test('accepts calls for the delay, while /readyz fails, until a second signal', async () => {
  const listen = 'listen: { port: 0, shutdownDelaySeconds: 3600 }';
  const { cli, url, adminUrl } = await startConfigured(
    `${listen}\nadmin: { port: 0 }\nkeys: [{ secret: ${'k'.repeat(32)} }]\nenvironments: { dev: {} }`,
  );
  const agent = new Agent({ keepAlive: true });
  const call = async () => {
    const [response] = await once(request(url, { agent }).end(), 'response');
    await text(response);
    return [response.statusCode, response.headers.connection];
  };
  expect(await call()).toEqual([404, 'keep-alive']);
  cli.child.kill('SIGINT');
  await cli.line('not ready; still accepting calls');
  cli.child.kill('SIGHUP');
  await cli.line('not reloading the configuration, because the server is stopping');
  expect(cli.stdout).not.toContain('reloaded the configuration');
  const ready = await fetch(`${adminUrl}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, 'draining\n']);
  // First on the connection from before, then on a new one.
  expect(await call()).toEqual([404, 'close']);
  expect(await call()).toEqual([404, 'close']);
  // A signal that follows at once is taken for an echo of the first one.
  const again = setInterval(() => cli.child.kill('SIGINT'), 100);
  expect(await cli.finish()).toMatchObject({ code: 1 });
  clearInterval(again);
});

test('a signal ends the process while it waits for the store', async () => {
  const claim = `files/owners/alone.1.1.id.container.${hostname()}`;
  const config = `store: { driver: file, root: files }\nkeys: [{ secret: ${'k'.repeat(32)} }]`;
  const folder = await makeFolder({
    'berth.yaml': `${config}\nenvironments: { dev: {} }`,
    [claim]: '',
  });
  const cli = new Cli(folder, ['--config', 'berth.yaml']);
  await cli.line('waiting to see whether the last user of the store has exited');
  cli.child.kill('SIGTERM');
  expect(await cli.finish()).toMatchObject({ code: 0 });
});

test('aborts streams and WebSockets at the limit', async () => {
  const { server, call, lines } = await startInFront(
    (_, response) => void response.write('data: 1\n\n'),
    { listen: { port: 0, shutdownSeconds: 0.2 } },
  );
  const cut = expect((await call()).text()).rejects.toThrow();
  await server.close();
  await cut;
  expect(lines).toContainEqual(expect.objectContaining({ msg: ABORTED, calls: 1 }));
});

test.each([
  ['call', ''],
  ['handshake', HANDSHAKE],
])('logs a %s without a response at the limit as aborted by the server', async (_, headers) => {
  const { server, port, toGet, metric, lines } = await startInFront(() => {}, {
    listen: { port: 0, shutdownSeconds: 0.2 },
    log: { calls: true },
  });
  const socket = await open(port);
  socket.write(toGet(headers));
  await expect.poll(() => metric('berth_service_calls_active')).toBe(1);
  expect(await metric('berth_calls_active')).toBe(1);
  await server.close();
  const call = { surface: 'gateway', status: 0, msg: 'aborted' };
  expect(lines).toContainEqual(expect.objectContaining(call));
  expect(lines).toContainEqual(expect.objectContaining({ msg: ABORTED, calls: 1 }));
});

test('does not wait for WebSockets', async () => {
  const service = createServer();
  new WebSocketServer({ server: service });
  const origin = await startListening(service);
  const listen = { port: 0, shutdownSeconds: 3600 };
  const { server, port, toGet } = await startServer({ listen }, serving(origin));
  const socket = await open(port);
  socket.write(toGet(HANDSHAKE));
  await receive(socket, ' 101 ');
  const closed = once(socket, 'close');
  await server.close();
  await closed;
});

test('a server that is closed while it starts, or fails to start, does not listen again', async () => {
  const { config, port } = await startServer({ admin: false, log: { level: 'silent' } });
  const create = async (listen: { port: number }) =>
    createBerthServer({ ...config, listen, store: { driver: 'file', root: await makeFolder() } });
  const closed = await create({ port: 0 });
  expect(() => closed.url).toThrow('Call listen() first.');
  const listening = closed.listen();
  await closed.close();
  await listening;
  expect(() => closed.url).toThrow('Call listen() first.');
  const refused = await create({ port });
  await expect(refused.listen()).rejects.toThrow('EADDRINUSE');
  for (const { listen } of [closed, refused]) await expect(listen()).rejects.toThrow('already');
});
