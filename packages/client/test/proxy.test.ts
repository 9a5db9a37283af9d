import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { Agent, createServer, type IncomingMessage, request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bearer, isBerthError, type Service, type StorageClient } from '@berth/client';
import { createMock, type Mock } from '@berth/mock';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../../scripts/testing/listen.ts';
import { serviceAt, storageAt } from './support/clients.ts';

/** What a proxy does with a request. Only after `reset` and `busy`, the request was certainly not executed. */
const FAULTS = ['none', 'reset', 'busy', 'lose', 'truncate', 'page', 'stall'] as const;

/** A fault, and where in the body it happens, from 0 to 1. */
interface Fault {
  readonly kind: (typeof FAULTS)[number];
  readonly at: number;
}

const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = 300;
const AT_ONCE = 6;
const LIMITS = { timeout: 500, retry: { attempts: 3, delay: 1 } };

interface Context {
  readonly service: Service;
  readonly storage: StorageClient;
  /** A client without a proxy. */
  readonly direct: StorageClient;
  /** Text that no other call contains, and a longer one. */
  readonly id: string;
  readonly content: string;
}

let mock: Mock;
let folder: string;
beforeAll(async () => {
  mock = await createMock();
  folder = await mkdtemp(join(tmpdir(), 'berth-proxy-'));
});
afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

/** Calls, which fail with another error than a `BerthError` if they have a wrong effect. */
const STEPS = {
  async get({ service, id }) {
    expect(await service.get(`a?${id}`)).toMatchObject({ method: 'GET', query: id });
  },
  async post({ service, content }) {
    expect(await service.post('once', content)).toMatchObject({ body: content });
  },
  async postIdempotent({ service, id }) {
    expect(await service.post('a', id, { idempotent: true })).toMatchObject({ body: id });
  },
  async upload({ storage, direct, id, content }) {
    const result = await storage.upload(id, content).catch((error: unknown) => error);
    const stored = await read(direct, id);
    if (result instanceof Error && stored === undefined) throw result;
    expect(stored).toBe(content);
    if (result instanceof Error) throw result;
  },
  async download({ storage, direct, id, content }) {
    const { fileID } = await direct.upload(id, content);
    expect(await (await storage.download(fileID)).text()).toBe(content);
  },
  async downloadToFile({ storage, direct, id, content }) {
    const { fileID } = await direct.upload(id, content);
    const file = join(folder, id);
    const failure = await storage.downloadToFile(fileID, file).catch((error: unknown) => error);
    const files = (await readdir(folder)).filter((name) => name.includes(id));
    expect(files).toEqual(failure ? [] : [id]);
    if (failure) throw failure;
    expect(await readFile(file, 'utf8')).toBe(content);
  },
  async delete({ storage, direct, id }) {
    const { fileID } = await direct.upload(id, id);
    await storage.delete(fileID);
    expect(await read(direct, id)).toBeUndefined();
  },
} satisfies Record<string, (context: Context) => Promise<void>>;

/** Calls that must not be executed twice. */
const ONCE = /^POST \S*(\/once|:batchDelete)\b/;

const NAMES = Object.keys(STEPS) as (keyof typeof STEPS)[];
const SEQUENCE = fc.record({
  steps: fc.array(
    fc.record({ name: fc.constantFrom(...NAMES), size: fc.constantFrom(1, 100, 70_000) }),
    { minLength: 1, maxLength: 4 },
  ),
  faults: fc.array(
    fc.record({
      kind: fc.oneof(
        { weight: 3, arbitrary: fc.constant('none' as const) },
        { weight: 14, arbitrary: fc.constantFrom(...FAULTS.slice(1, -1)) },
        // Each takes the entire time limit.
        { weight: 1, arbitrary: fc.constant('stall' as const) },
      ),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 8 },
  ),
});

it(`nothing is executed twice, hangs or has wrong bytes behind a bad proxy (BERTH_SEED=${SEED})`, async () => {
  const seen = new Set<string>();
  const property = fc.asyncProperty(SEQUENCE, async ({ steps, faults }) => {
    const proxy = await startProxy(mock.url, faults);
    const context = {
      service: serviceAt(proxy.url, { ...LIMITS, auth: bearer('t') }, 'echo'),
      storage: storageAt(proxy.url, { ...LIMITS, idle: LIMITS.timeout }),
      direct: storageAt(mock.url),
    };
    try {
      for (const { name, size } of steps) {
        const id = `${name}-${randomUUID()}`;
        const content = `${id}-`.repeat(Math.ceil(size / 40));
        try {
          await STEPS[name]({ ...context, id, content });
          seen.add(name);
        } catch (error) {
          // Anything else is a wrong result, or a bug.
          if (!isBerthError(error)) throw error;
        }
      }
      for (const { kind } of faults.slice(0, proxy.count())) seen.add(kind);
      const once = proxy.forwarded.filter((call) => ONCE.test(call));
      expect(once).toEqual([...new Set(once)]);
    } finally {
      await proxy.close();
    }
  });

  const groups = Array.from({ length: AT_ONCE }, (_, index) =>
    fc.assert(property, {
      seed: SEED + index,
      numRuns: RUNS / AT_ONCE,
      // Ends a call that hangs, and the search for a shorter sequence, which would take long.
      interruptAfterTimeLimit: 400_000,
      markInterruptAsFailure: true,
    }),
  );
  await Promise.all(groups);
  // Each call was seen to succeed and each fault to happen, so that the properties were tested.
  expect([...seen].sort()).toEqual([...NAMES, ...FAULTS].sort());
});

async function read(direct: StorageClient, path: string): Promise<string | undefined> {
  try {
    return await (await direct.download(`cloud://dev.files/${path}`)).text();
  } catch (error) {
    if (isBerthError(error, 'storage') && error.code === 'STORAGE_FILE_NONEXIST') return undefined;
    throw error;
  }
}

const agent = new Agent({ keepAlive: true });

/**
 * Starts a proxy on loopback with a fault for each request, in order; requests after the last fault have none. It lists
 * the method, URL and body of each request that it forwards.
 */
async function startProxy(target: string, faults: readonly Fault[]) {
  const forwarded: string[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const { kind, at } = faults[count] ?? { kind: 'none', at: 0 };
    count += 1;
    const { socket, method, url } = request;
    try {
      const sent = Buffer.concat(await request.toArray());
      if (kind === 'reset') return socket.resetAndDestroy();
      if (kind === 'busy') return response.writeHead(503, BUSY_HEADERS).end(BUSY);
      forwarded.push(`${method} ${url} ${sent.toString('latin1')}`);
      const received = await forward(target, request, sent);
      const body = Buffer.concat(await received.toArray());
      if (kind === 'lose') return socket.resetAndDestroy();
      if (kind === 'page') return response.writeHead(502).end('<html>Bad gateway</html>');
      const { 'transfer-encoding': _, connection: __, ...headers } = received.headers;
      if (body.length > 0) headers['content-length'] = String(body.length);
      response.writeHead(received.statusCode ?? 0, headers);
      if (kind === 'none') return response.end(body);
      const part = body.subarray(0, Math.min(body.length - 1, Math.floor(at * body.length)));
      const cut = () => kind === 'truncate' && socket.destroy();
      response.flushHeaders();
      return part.length > 0 ? response.write(part, cut) : setImmediate(cut);
    } catch {
      return socket.destroy();
    }
  });
  const { url, close } = await listen(server);
  return { url, forwarded, close, count: () => count };
}

const BUSY = '{"code":"SERVICE_NOT_READY","message":"Later.","requestId":"r"}';
const BUSY_HEADERS = { 'Content-Type': 'application/json', 'X-Request-Id': 'r' };

function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const path = url?.replace(/^https?:\/\/[^/]*/, '');
    const sent = sendRequest(target, { method, path, headers, agent }, resolve);
    sent.on('error', reject).end(body);
  });
}
