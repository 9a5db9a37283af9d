/**
 * Makes every kind of call to the server for a while, and fails on an unexpected response or a growing heap:
 * `pnpm soak [seconds]`, 60 by default.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WebSocket } from 'ws';
import { createDevKeys, mintToken } from '../src/auth/mint-token.ts';
import { startHelloService } from '../src/cli/hello-service.ts';
import { createServer } from '../src/index.ts';
import { StorageClient } from '../test/break-ins/support/storage-client.ts';

const MEBIBYTE = 1024 * 1024;
const CALLERS = 8;
/** How much the heap may grow between the middle and the end of the run. Caches fill up long before that. */
const GROWTH = 10 * MEBIBYTE;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const { positionals } = parseArgs({ allowPositionals: true });
const seconds = Number(positionals[0] ?? 60);
const folder = await mkdtemp(join(tmpdir(), 'berth-soak-'));
const hello = await startHelloService();
const keys = await createDevKeys();
const pair = { id: 'me', secret: 'the-secret-of-me' };
const problems: string[] = [];
const server = await createServer(
  {
    listen: { port: 0, shutdownSeconds: 5 },
    admin: { port: 0 },
    store: { driver: 'file', root: folder },
    keys: [{ secret: 'a key that signs links and grants' }],
    environments: {
      dev: {
        tokens: { jwks: { keys: keys.jwks.keys.map((key) => ({ ...key })) } },
        credentials: [pair],
        services: { hello: { endpoints: [hello.origin] } },
      },
    },
  },
  {
    logTo: {
      write: (line: string) => void (line.includes('"level":"error"') && problems.push(line)),
    },
  },
);
await server.listen();
const { url } = server;
const storage = new StorageClient(url, pair);
const gateway = `${url}/v1/cloudrun/hello`;

const newToken = (subject: string) =>
  mintToken({ env: 'dev', key: keys.privateKey, subject, seconds: 300 });

async function expectStatus(wanted: number, response: Response | Promise<Response>): Promise<void> {
  const { status, body, url: target } = await response;
  await body?.pipeTo(new WritableStream());
  if (status !== wanted) problems.push(`${target}: ${status} instead of ${wanted}`);
}

/** Makes one of each call, valid and invalid. */
async function round(caller: number, at: number): Promise<void> {
  const headers = { authorization: `Bearer ${await newToken(`caller-${at % 500}`)}` };
  const path = `folder/${caller}-${at % 20}.bin`;
  await expectStatus(200, fetch(`${gateway}/a?b=${at}`, { headers }));
  await expectStatus(200, fetch(gateway, { method: 'POST', headers, body: 'x'.repeat(10_000) }));
  await expectStatus(200, fetch(gateway, { headers: { ...headers, accept: 'text/event-stream' } }));
  await expectStatus(401, fetch(gateway, { headers: { authorization: `Bearer bad-${at}` } }));
  await expectStatus(404, fetch(`${url}/nowhere-${at}`));
  await expectStatus(204, storage.upload(path, new Uint8Array(100_000)));
  await expectStatus(200, fetch(await storage.link(path)));
  await expectStatus(403, fetch(`${url}/files/dev/files/${path}?expires=${at}&sign=x`));
  await storage.call('batchCopyFile', {
    fileList: [{ srcPath: `/${path}`, dstPath: '/copy.bin' }],
  });
  await storage.call('batchDelete', { fileList: [`cloud://dev.files/${path}`] });
  const socket = new WebSocket(gateway.replace('http', 'ws'), { headers });
  await once(socket, 'open');
  socket.send('hello');
  await once(socket, 'message');
  socket.close();
  await once(socket, 'close');
  // A client that disconnects in the middle of a body.
  const gone = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  const auth = `Authorization: ${headers.authorization}\r\n`;
  gone.write(
    `POST /v1/cloudrun/hello HTTP/1.1\r\nHost: 127.0.0.1\r\n${auth}Content-Length: 9\r\n\r\nx`,
  );
  await once(gone, 'connect');
  gone.resetAndDestroy();
}

function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const started = performance.now();
const elapsed = () => (performance.now() - started) / 1000;
let rounds = 0;
async function runUntil(end: number): Promise<void> {
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      while (elapsed() < end) await round(caller, rounds++);
    }),
  );
}
await runUntil(seconds / 2);
const half = heap();
await runUntil(seconds);
const whole = heap();
await server.close();
await hello.close();
await rm(folder, { recursive: true });

const growth = whole - half;
if (growth > GROWTH) problems.push(`The heap grew by ${(growth / MEBIBYTE).toFixed(1)} MiB.`);
const summary = `${rounds} rounds in ${seconds} s; heap ${(half / MEBIBYTE).toFixed(1)} MiB halfway, ${(whole / MEBIBYTE).toFixed(1)} MiB at the end, RSS ${(process.memoryUsage.rss() / MEBIBYTE).toFixed(0)} MiB`;
process.stdout.write(`${summary}\n${problems.slice(0, 20).join('\n')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
