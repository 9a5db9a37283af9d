import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whyAbsent } from '../platforms/runners/run-process.ts';
import { type RunningWorker, startWorkerd } from '../platforms/runners/run-worker.ts';

let folder: string;
let worker: RunningWorker;
let responses: Map<string, PromiseWithResolvers<ServerResponse>>;
const responseFor = (url: string) => {
  const found = responses.get(url) ?? Promise.withResolvers<ServerResponse>();
  responses.set(url, found);
  return found;
};
const server = createServer(({ url = '', headers }, response) => {
  if (url.startsWith('/token/')) responseFor(url).resolve(response);
  else response.setHeader('content-type', 'application/json').end(JSON.stringify(headers));
});

beforeEach(async () => {
  responses = new Map();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  folder = await mkdtemp(join(tmpdir(), 'berth-workers-'));
  const file = join(folder, 'worker.js');
  const build = await rolldown({
    input: join(import.meta.dirname, 'worker.ts'),
    platform: 'browser',
    resolve: { conditionNames: ['berth-source', 'workerd', 'worker', 'browser', 'default'] },
  });
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  worker = await startWorkerd(file);
});
afterEach(async () => {
  await worker.close();
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

/** Sends a request to the Worker, which makes a call. */
async function call(perTry?: number) {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const body = JSON.stringify({ baseUrl, perTry });
  return (await fetch(worker.url, { method: 'POST', body })).json();
}

const absent = whyAbsent('workerd');
const reason = absent ? ` (skipped: ${absent})` : '';

describe.skipIf(absent)(`a client that requests of a Worker share${reason}`, () => {
  it('requests the token once for all waiting requests', async () => {
    const calls = [call(), call(), call()];
    (await responseFor('/token/1').promise).end('a-token');
    const outcome = expect.objectContaining({ authorization: 'Bearer a-token' });
    const expected = { asked: 1, outcome };
    expect(await Promise.all(calls)).toEqual([expected, expected, expected]);
  });

  it('requests a new token if the request that was waiting for one has ended', async () => {
    expect(await call(200)).toEqual({ outcome: 'TimeoutError', asked: 1 });
    const next = call();
    (await responseFor('/token/2').promise).end('a-token');
    expect(await next).toMatchObject({ asked: 2, outcome: { authorization: 'Bearer a-token' } });
  });
});
