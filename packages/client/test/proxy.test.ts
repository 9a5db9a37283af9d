import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bearer, isBerthError, type Service, type StorageClient } from '@berth/client';
import { createMock } from '@berth/mock';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { serviceAt, storageAt } from './support/clients.ts';
import { FAULTS, startProxy } from './support/faulty-proxy.ts';
import { newFolder } from './support/folders.ts';

const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = 300;
const AT_ONCE = 6;

/** How long a call may take, in milliseconds. */
const TIMEOUT = 500;

const LIMITS = { timeout: TIMEOUT, retry: { attempts: 3, delay: 1 } };

interface Context {
  readonly service: Service;
  readonly storage: StorageClient;
  /** A client without a proxy. */
  readonly direct: StorageClient;
  readonly folder: string;
  /** Text that no other call contains, and a longer one. */
  readonly id: string;
  readonly content: string;
}

/** A call, which fails if it succeeds with wrong bytes. */
type Step = (context: Context) => Promise<unknown>;

const STEPS = {
  async get({ service, id }) {
    expect(await service.get(`a?${id}`)).toMatchObject({ method: 'GET', query: id });
  },
  async post({ service, id }) {
    expect(await service.post('a', { id })).toMatchObject({ body: JSON.stringify({ id }) });
  },
  async postBytes({ service, content }) {
    // The caller reads the body, and limits that by a signal.
    const signal = AbortSignal.timeout(TIMEOUT);
    const call = service.request('body', { method: 'POST', body: content, signal });
    const response = await call.catch((error: unknown) => signal.aborted || Promise.reject(error));
    const text =
      response instanceof Response ? await response.text().catch(() => undefined) : undefined;
    if (text === undefined || !(response as Response).ok) throw new Failed();
    expect(text).toBe(content);
  },
  async postIdempotent({ service, id }) {
    expect(await service.post('a', id, { idempotent: true })).toMatchObject({ body: id });
  },
  async upload({ storage, direct, id, content }) {
    const fileID = `cloud://dev.files/${id}`;
    const result = await storage.upload(id, content).catch((error: unknown) => error);
    const stored = await readFrom(direct, fileID);
    if (result instanceof Error) {
      expect([content, undefined] as unknown[]).toContain(stored);
      throw result;
    }
    expect([result, stored]).toEqual([{ fileID }, content]);
  },
  async download({ storage, direct, id, content }) {
    const { fileID } = await direct.upload(id, content);
    const response = await storage.download(fileID);
    expect(await response.text()).toBe(content);
  },
  async downloadToFile({ storage, direct, folder, id, content }) {
    const { fileID } = await direct.upload(id, content);
    const file = join(folder, id);
    const failure = await storage.downloadToFile(fileID, file).catch((error: unknown) => error);
    const files = (await readdir(folder)).filter((name) => name.includes(id));
    expect(files).toEqual(failure ? [] : [id]);
    if (failure) throw failure;
    expect(await readFile(file, 'utf8')).toBe(content);
  },
  async tempUrl({ storage, direct, id }) {
    const { fileID } = await direct.upload(id, id);
    expect(await storage.tempUrl(fileID)).toContain(id);
  },
  async delete({ storage, direct, id }) {
    const { fileID } = await direct.upload(id, id);
    await storage.delete(fileID);
    expect(await readFrom(direct, fileID)).toBeUndefined();
  },
  async copy({ storage, direct, id, content }) {
    await direct.upload(id, content);
    const { fileID } = await storage.copy(`/${id}`, `/${id}-copy`);
    expect(await readFrom(direct, String(fileID))).toBe(content);
  },
} satisfies Record<string, Step>;

/** The failure of a raw response. */
class Failed extends Error {}

const NAMES = Object.keys(STEPS) as (keyof typeof STEPS)[];
const SEQUENCE = fc.record({
  isLenient: fc.boolean(),
  steps: fc.array(
    fc.record({ name: fc.constantFrom(...NAMES), size: fc.constantFrom(1, 100, 70_000) }),
    { minLength: 1, maxLength: 4 },
  ),
  faults: fc.array(
    fc.record({
      // A stall takes the entire time limit, so the others happen twice as often.
      kind: fc.constantFrom('none', ...FAULTS.slice(0, -1), ...FAULTS),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 8 },
  ),
});

/** Calls that must not be executed twice. */
const ONCE = /^POST \S*\/(cloudrun\/echo\/(a|body)\b|\S*:batchDelete|\S*:batchCopyFile)/;

it(`nothing is executed twice, hangs or has wrong bytes behind a bad proxy (BERTH_SEED=${SEED})`, async () => {
  await using mock = await createMock();
  const folder = await newFolder();
  const tally = new Map<string, number>();
  const count = (name: string) => tally.set(name, (tally.get(name) ?? 0) + 1);

  const property = fc.asyncProperty(SEQUENCE, async ({ steps, faults, isLenient }) => {
    const proxy = await startProxy(mock.url, faults);
    const direct = storageAt(mock.url);
    const fetch = isLenient ? lenientFetch : undefined;
    try {
      for (const { name, size } of steps) {
        const id = `${name}-${randomUUID()}`;
        const step = STEPS[name]({
          service: serviceAt(proxy.url, { ...LIMITS, auth: bearer('t') }, 'echo'),
          storage: storageAt(proxy.url, { ...LIMITS, fetch, idle: TIMEOUT }),
          direct,
          folder,
          id,
          content: `${id}-`.repeat(Math.ceil(size / 40)),
        });
        const failure = await step.catch((error: unknown) => {
          // Anything else is a wrong result, or a bug.
          if (isBerthError(error) || error instanceof Failed) return error;
          throw error;
        });
        count(failure ? 'failed' : `${name} succeeded`);
      }
      for (const { kind } of faults.slice(0, proxy.count())) count(kind);
      const isOnce = (call: string) => ONCE.test(call) && !call.includes('postIdempotent');
      const once = proxy.forwarded.filter(isOnce);
      expect(once).toEqual([...new Set(once)]);
    } finally {
      await proxy.close();
    }
  });

  const groups = Array.from({ length: AT_ONCE }, (_, index) =>
    fc.assert(property, {
      seed: SEED + index,
      numRuns: RUNS / AT_ONCE,
      // A sequence that takes longer hangs.
      timeout: 120_000,
      // Shortening a sequence that hangs takes long.
      interruptAfterTimeLimit: 400_000,
      markInterruptAsFailure: true,
    }),
  );
  await Promise.all(groups);
  // Each call was seen to succeed and each fault to happen, so that the properties were tested.
  for (const name of NAMES) expect(tally.get(`${name} succeeded`), name).toBeGreaterThan(0);
  for (const fault of FAULTS) expect(tally.get(fault), fault).toBeGreaterThan(0);
});

/** A `fetch` that ends a body that is cut off, as some do that ignore `Content-Length`. */
async function lenientFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const reader = response.body?.getReader();
  const pull = async (controller: ReadableStreamDefaultController) => {
    const { value } = (await reader?.read().catch(() => undefined)) ?? {};
    if (value) controller.enqueue(value);
    else controller.close();
  };
  return new Response(reader ? new ReadableStream({ pull }) : null, response);
}

async function readFrom(direct: StorageClient, fileID: string): Promise<string | undefined> {
  try {
    return await (await direct.download(fileID)).text();
  } catch (error) {
    if (isBerthError(error, 'storage') && error.code === 'STORAGE_FILE_NONEXIST') return undefined;
    throw error;
  }
}
