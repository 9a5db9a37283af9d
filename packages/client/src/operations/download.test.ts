import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, list } from '../../test/support/fake-fetch.ts';
import { storageWith } from '../../test/support/storage.ts';

const link = () => list({ fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://h/a b?sign=s3cret' });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-download-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function save(storage: ReturnType<typeof storageWith>['storage']) {
  const file = join(folder, 'a');
  await storage.downloadToFile('a', file);
  return new Uint8Array(await readFile(file));
}

describe('a download that resumes', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Reads a 4-byte file over connections that each break after the given number of bytes. */
  async function waits(counts: number[], retry: object = {}) {
    const at: number[] = [];
    let sent = 0;
    const fetch = async (url: string) => {
      if (!url.startsWith('https://h/')) return link();
      at.push(Date.now());
      const first = sent;
      let left = counts[at.length - 1] ?? 0;
      const body = new ReadableStream({
        pull(controller) {
          left -= 1;
          if (left < 0) return controller.error(new Error('lost'));
          sent += 1;
          controller.enqueue(Uint8Array.of(sent));
          if (sent === 4) controller.close();
        },
      });
      const headers = { ETag: '"v1"', 'Content-Range': `bytes ${first}-3/4` };
      return at.length === 1
        ? new Response(body, { headers: { ETag: '"v1"', 'Content-Length': '4' } })
        : new Response(body, { headers, status: 206 });
    };
    const { storage } = storageWith([], { fetch, retry });
    let isOver = false;
    const read = save(storage)
      .catch((error: Error) => error)
      .finally(() => {
        isOver = true;
      });
    // One by one, because all test files share a process: another file may have left a timer that repeats.
    while (!isOver) await vi.advanceTimersToNextTimerAsync();
    return { seen: at.slice(1).map((ms, index) => ms - (at[index] ?? 0)), result: await read };
  }
  const all = Uint8Array.of(1, 2, 3, 4);

  it('waits longer while no byte arrives, and then fails', async () => {
    const { seen, result } = await waits([1, 0, 0, 0, 0], { attempts: 4 });
    expect(seen).toEqual([125, 250, 500]);
    expect(result).toMatchObject({ name: 'NetworkError' });
  });

  it('starts with the first wait again after a byte has arrived', async () => {
    expect(await waits([1, 0, 1, 0, 2])).toEqual({ seen: [125, 250, 125, 250], result: all });
  });
});

describe('the body of a download', () => {
  const headers = { ETag: '"v1"', 'Content-Length': '4' };
  const tag = { ETag: '"v1"', 'Content-Range': 'bytes 1-3/4' };
  const bytes = (count: number) => new Uint8Array(count);
  /** Returns a body that yields one byte and then hangs. */
  const stuck = (cancel = vi.fn()) =>
    new ReadableStream(
      { start: (controller) => controller.enqueue(bytes(1)), cancel },
      { highWaterMark: 0 },
    );

  it('comes from the encoded link, without any credential', async () => {
    const { storage, requests } = storageWith([link(), new Response('bytes')]);
    expect(await (await storage.download('a')).text()).toBe('bytes');
    expect(requests[1]?.url).toBe('https://h/a%20b?sign=s3cret');
    expect([...(requests[1]?.headers ?? [])]).toEqual([]);
  });

  it('is read no faster than its reader asks', async () => {
    const pull = vi.fn((controller: ReadableStreamDefaultController) => controller.close());
    const { storage } = storageWith([
      link(),
      new Response(new ReadableStream({ pull }, { highWaterMark: 0 })),
    ]);
    const response = await storage.download('a');
    expect(pull).not.toHaveBeenCalled();
    await response.text();
    expect(pull).toHaveBeenCalledOnce();
  });

  it.each([[{}], [{ retry: false as const }]])(
    'aborts with the signal even if fetch ignores it: %j',
    async (options) => {
      const cancel = vi.fn();
      const { storage } = storageWith([link(), new Response(stuck(cancel), { headers })]);
      const stop = new AbortController();
      const response = await storage.download('a', { ...options, signal: stop.signal });
      const reader = response.body?.getReader();
      await reader?.read();
      const next = failureOf(reader?.read() as Promise<unknown>);
      const reason = new Error('enough');
      stop.abort(reason);
      expect(await next).toBe(reason);
      expect(cancel).toHaveBeenCalled();
    },
  );

  it('replaces an idle connection with a new one', async () => {
    const cancel = vi.fn();
    const { storage, requests } = storageWith(
      [
        link(),
        new Response(stuck(cancel), { headers }),
        link(),
        new Response(bytes(3), { headers: tag, status: 206 }),
      ],
      { timeouts: { perTry: 500 }, retry: { baseDelay: 1 } },
    );
    expect(await save(storage)).toEqual(bytes(4));
    expect(cancel).toHaveBeenCalled();
    expect([...(requests[3]?.headers ?? [])]).toEqual([
      ['if-range', '"v1"'],
      ['range', 'bytes=1-'],
    ]);
  });
});
