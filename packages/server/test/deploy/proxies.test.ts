import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import {
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createStorageClient, tc3Storage } from '@berth/client';
import { describeOn, findProgram } from '@berth/runtimes/engines';
import { freePort } from '@berth/runtimes/free-port';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startService } from '../server/support/hosted-service.ts';
import { makeFolder, startServer } from '../server/support/start-server.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const TEMP_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** How to run the example of each proxy. */
const PROXIES = {
  nginx: {
    example: 'nginx.conf',
    args: (file: string) => ['-e', 'stderr', '-c', file],
    wrap: (text: string, folder: string) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; pid ${folder}/pid; error_log stderr crit;
events {}
http {
  access_log off;
  ${TEMP_PATHS.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${text}
}`,
  },
  haproxy: {
    example: 'haproxy.cfg',
    args: (file: string) => ['-q', '-db', '-f', file],
    wrap: (text: string) => text,
  },
} as const;

type Proxy = keyof typeof PROXIES;

const PAIR = { secretId: 'ci', secretKey: 'a secret of the key pair' };

/** Starts two servers of one store behind a proxy with its example configuration. */
async function start(proxy: Proxy, service: string | RequestListener) {
  const origin = typeof service === 'string' ? service : await startService(service);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = {
    listen: { port: 0, trustProxy: true, keepAliveSeconds: 75 },
    publicUrl: url,
    store: { driver: 'file' as const, root: await makeFolder() },
  };
  const environment = {
    credentials: [{ id: PAIR.secretId, secret: PAIR.secretKey }],
    services: { hello: { endpoints: [origin] } },
  };
  const servers = [
    await startServer(config, environment),
    await startServer(config, environment),
  ] as const;
  const ports = new Map(
    servers.flatMap(({ url, adminUrl }, index) => [
      [`40${index + 2}0`, new URL(url).port],
      [`40${index + 2}1`, new URL(adminUrl).port],
    ]),
  );
  const { example, args, wrap } = PROXIES[proxy];
  const text = (await readFile(join(DEPLOY, example), 'utf8'))
    .replaceAll(/#.*/g, '')
    .replace(/\b(listen |bind ):?80\b/, `$1127.0.0.1:${port}`)
    .replaceAll(/\b40[23][01]\b/g, (found) => ports.get(found) as string);
  const folder = await makeFolder();
  const file = join(folder, 'conf');
  await writeFile(file, wrap(text, folder));
  const child = spawn(findProgram([proxy]) as string, args(file), { stdio: 'inherit' });
  onTestFinished(async () => {
    if (child.kill() && child.exitCode === null) await once(child, 'exit');
  });
  await expect.poll(() => child.exitCode !== null || canConnect(port)).toBe(true);
  expect(child.exitCode).toBeNull();
  const headers = { authorization: `Bearer ${servers[0].token}` };
  const callService = (path = '', init: RequestInit = {}) =>
    fetch(`${url}/v1/cloudrun/hello${path}`, { ...init, headers: { ...headers, ...init.headers } });
  return { url, port, servers, headers, callService };
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const describeProxy = (proxy: Proxy) =>
  describeOn(proxy, 'the example of a load balancer', () => {
    test('passes on each event and each part of a request body as it arrives', async () => {
      let service: ServerResponse | undefined;
      const { callService, port, headers } = await start(proxy, (request, response) => {
        service = response;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        if (request.method === 'POST') request.on('data', (part) => response.write(`${part}`));
      });
      const events = await callService('', { headers: { accept: 'text/event-stream' } });
      const reader = events.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
      for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
        service?.write(event);
        expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(event);
      }
      await reader.cancel();

      const path = '/v1/cloudrun/hello';
      const upload = request({
        port,
        path,
        method: 'POST',
        headers: { ...headers, accept: 'text/event-stream' },
      });
      upload.write('first');
      const [response] = (await once(upload, 'response')) as [IncomingMessage];
      expect(String((await once(response, 'data'))[0])).toBe('first');
      upload.end('second');
      expect(String((await once(response, 'data'))[0])).toBe('second');
      upload.on('error', () => {}).destroy();
    });

    test('forwards paths as sent, and replaces forged headers', async () => {
      const { callService, port } = await start(proxy, ({ url, headers }, response) => {
        const {
          'x-forwarded-for': from,
          'x-forwarded-proto': proto,
          'x-forwarded-host': host,
        } = headers;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ url, from, proto, host }));
      });
      const forged = {
        'x-forwarded-for': '192.0.2.1',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
      };
      const response = await callService('/a%2Fb//c%20d?x=%41&y', { headers: forged });
      expect(await response.json()).toEqual({
        url: '/a%2Fb//c%20d?x=%41&y',
        from: '127.0.0.1, 127.0.0.1',
        proto: 'http',
        host: `127.0.0.1:${port}`,
      });
    });

    test('passes WebSockets, uploads and downloads', async () => {
      const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
      await once(sockets, 'listening');
      onTestFinished(() => sockets.close());
      sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`${data}!`)));
      const { port: target } = sockets.address() as AddressInfo;
      const { url, headers } = await start(proxy, `http://127.0.0.1:${target}`);
      const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/cloudrun/hello`, { headers });
      await once(socket, 'open');
      socket.send('hello');
      expect(String((await once(socket, 'message'))[0])).toBe('hello!');
      socket.close(4000, 'bye');
      expect((await once(socket, 'close'))[0]).toBe(4000);

      const credentials = tc3Storage(PAIR);
      const storage = createStorageClient({ baseUrl: url, envId: 'dev', credentials });
      const content = Buffer.alloc(3_000_000, 'content ');
      const { fileID } = await storage.upload('large.bin', new Blob([content]));
      const download = await storage.download(fileID);
      expect(content.equals(Buffer.from(await download.arrayBuffer()))).toBe(true);
    });

    test('sends all calls to the other process when one shuts down', async () => {
      const { callService, servers } = await start(proxy, (_request, response) =>
        response.end('ok'),
      );
      await servers[0].server.close();
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async () => (await callService()).status),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
    });
  });

describeProxy('nginx');
describeProxy('haproxy');
