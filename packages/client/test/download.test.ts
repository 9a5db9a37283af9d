import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DownloadOptions, Progress } from '@berth/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, list } from './support/fake-fetch.ts';
import { type Handler, serveStorage } from './support/loopback.ts';
import { shown } from './support/shown.ts';
import { storageWith } from './support/storage.ts';

type Range = NonNullable<DownloadOptions['range']>;

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 251));

/** Responds as in RFC 9110, but breaks off each response after `cut` bytes. */
function files({ cut = BYTES.length, etag = () => '"v1"' as string | undefined } = {}) {
  const seen: Record<string, unknown>[] = [];
  const handle: Handler = (request, response) => {
    const { range, 'if-range': ifRange } = request.headers;
    seen.push({ range, ifRange });
    const tag = etag();
    if (tag) response.setHeader('ETag', tag);
    let bytes = BYTES;
    const [, from = 0, to = BYTES.length - 1] = /bytes=(\d+)-(\d*)/.exec(range ?? '') ?? [];
    const isPart = range !== undefined && (ifRange === undefined || ifRange === tag);
    if (isPart) {
      const end = Number(to || BYTES.length - 1);
      bytes = BYTES.subarray(Number(from), end + 1);
      response.setHeader('Content-Range', `bytes ${from}-${end}/${BYTES.length}`);
    }
    response.writeHead(isPart ? 206 : 200, { 'Content-Length': bytes.length });
    if (bytes.length <= cut) return response.end(bytes);
    response.write(bytes.subarray(0, cut), () => response.destroy());
  };
  return { handle, seen };
}
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a download', () => {
  it('returns the complete file, with progress, and hides its link', async () => {
    await using served = await serveStorage(files().handle);
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => seen.push(progress);
    const response = await served.storage.download('a', { onProgress });
    expect(shown(response)).not.toContain('5ec4e7');
    expect((await bytesOf(response)).equals(BYTES)).toBe(true);
    expect(seen.at(-1)).toEqual({ loaded: BYTES.length, total: BYTES.length });
  });

  it('comes from the encoded link, without any credential', async () => {
    const link = list({ fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://h/a b?sign=s3cret' });
    const { storage, requests } = storageWith([link, new Response('bytes')]);
    expect(await (await storage.download('a')).text()).toBe('bytes');
    expect(requests[1]?.url).toBe('https://h/a%20b?sign=s3cret');
    expect([...(requests[1]?.headers ?? [])]).toEqual([]);
  });

  it('is read no faster than its reader asks', async () => {
    const pull = vi.fn((controller: ReadableStreamDefaultController) => controller.close());
    const link = list({ fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://h/a' });
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const response = await storageWith([link, new Response(body)]).storage.download('a');
    expect(pull).not.toHaveBeenCalled();
    await response.text();
    expect(pull).toHaveBeenCalledOnce();
  });

  it.each([204, 206, 403])('refuses status %i', async (status) => {
    await using served = await serveStorage((_, response) => response.writeHead(status).end());
    const error = await failureOf(served.storage.download('a'));
    expect(error).toMatchObject({ name: 'StorageError', status });
  });

  it.each([
    ['more', 11],
    ['less', 9],
  ])('fails if %s bytes arrive than its Content-Length', async (_, length) => {
    const link = list({ fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://h/a' });
    const file = new Response(new Uint8Array(length), { headers: { 'Content-Length': '10' } });
    const error = await failureOf(storageWith([link, file]).storage.download('a').then(bytesOf));
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(String(error)).toMatch(/has the wrong length/);
  });

  it('fails if its connection is lost', async () => {
    const { handle, seen } = files({ cut: 100_000 });
    await using served = await serveStorage(handle);
    const error = await failureOf(served.storage.download('a').then(bytesOf));
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(String(error)).toContain('The download of a was interrupted');
    expect(shown(error)).not.toContain('5ec4e7');
    expect(seen).toHaveLength(1);
  });

  it('ends if the signal aborts, or no byte arrives in time', async () => {
    await using served = await serveStorage((_, response) => {
      response.writeHead(200, { 'Content-Length': 10, ETag: '"v1"' }).write('a');
    });
    const controller = new AbortController();
    const response = await served.storage.download('a', { signal: controller.signal });
    const aborted = failureOf(bytesOf(response));
    controller.abort(new Error('enough'));
    expect(String(await aborted)).toBe('Error: enough');
    const timeouts = { perTry: 50 };
    const error = await failureOf(served.storage.download('a', { timeouts }).then(bytesOf));
    expect(error).toMatchObject({ name: 'TimeoutError', timeout: 50 });
  });

  it('closes the connection if its reader cancels', async () => {
    const closed = Promise.withResolvers<void>();
    await using served = await serveStorage((request, response) => {
      response.writeHead(200, { 'Content-Length': 10 }).write('a');
      request.socket.on('close', () => closed.resolve());
    });
    const response = await served.storage.download('a');
    await response.body?.cancel();
    await closed.promise;
  });
});

describe('a part of a file', () => {
  it.each([
    [{ offset: 10, length: 5 }, 'bytes=10-14', BYTES.subarray(10, 15)],
    [{ offset: 299_990 }, 'bytes=299990-', BYTES.subarray(299_990)],
  ])('%j is requested and returned', async (range, header, bytes) => {
    const { handle, seen } = files();
    await using served = await serveStorage(handle);
    const response = await served.storage.download('a', { range });
    expect(response.status).toBe(206);
    expect(await bytesOf(response)).toEqual(bytes);
    expect(seen).toEqual([{ range: header, ifRange: undefined }]);
  });

  it.each([{ offset: -1 }, { offset: 0, length: 0 }, { offset: 0.5 }])(
    '%j is not valid',
    async (range) => {
      const error = await failureOf(storageWith([]).storage.download('a', { range }));
      expect(error).toBeInstanceOf(RangeError);
      expect(String(error)).toContain('length' in range ? 'range.length' : 'range.offset');
    },
  );

  const partOf = (contentRange: string, headers: OutgoingHttpHeaders = {}): Handler => {
    const [from = 0, to = 4] = (contentRange.match(/\d+/g) ?? []).map(Number);
    return (_, response) => {
      if (contentRange) response.setHeader('Content-Range', contentRange);
      response.writeHead(206, { ETag: '"v1"', ...headers }).end(BYTES.subarray(from, to + 1));
    };
  };

  it.each<[string, Range, string, OutgoingHttpHeaders?]>([
    ['fewer bytes', { offset: 0, length: 1_000 }, 'bytes 0-99/300000'],
    ['more bytes', { offset: 10, length: 20 }, 'bytes 10-99999/300000'],
    ['another beginning', { offset: 10, length: 20 }, 'bytes 9-28/300000'],
    ['a beginning with the same first digits', { offset: 1 }, 'bytes 10-299999/300000'],
    ['an end before that of the file', { offset: 10 }, 'bytes 10-19/300000'],
    ['an end behind that of the file', { offset: 10, length: 20 }, 'bytes 10-29/25'],
    ['more bytes of a file of unknown length', { offset: 0, length: 5 }, 'bytes 0-9/*'],
    ['another unit', { offset: 0, length: 5 }, 'lines 0-4/9'],
    ['no Content-Range', { offset: 0, length: 5 }, ''],
    ['an end before the beginning', { offset: 5 }, 'bytes 5-4/5'],
    ['compressed bytes', { offset: 0, length: 5 }, 'bytes 0-4/9', { 'Content-Encoding': 'gzip' }],
  ])('is refused if it has %s', async (_, range, contentRange, headers) => {
    await using served = await serveStorage(partOf(contentRange, headers));
    const error = await failureOf(served.storage.download('a', { range }).then(bytesOf));
    expect(error).toMatchObject({ name: 'StorageError', status: 206 });
    expect(String(error)).toContain('the response is not the requested part');
  });

  it.each<[string, number]>([
    ['bytes 10-14/15', 5],
    ['bytes 10-29/*', 20],
    ['bytes 10-14/*', 5],
  ])('may end with the file: %s', async (contentRange, length) => {
    await using served = await serveStorage(partOf(contentRange));
    const response = await served.storage.download('a', { range: { offset: 10, length: 20 } });
    expect(await bytesOf(response)).toHaveLength(length);
  });
});

describe('a download to a file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-download-'));
    file = join(folder, 'a.bin');
    await writeFile(file, 'old');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.each([
    [undefined, BYTES],
    [{ offset: 1_000, length: 250_000 }, BYTES.subarray(1_000, 251_000)],
  ])(
    'resumes when its connection is lost, and replaces an older file: %j',
    async (range, bytes) => {
      const { handle, seen } = files({ cut: 100_000 });
      await using served = await serveStorage(handle);
      const loaded: number[] = [];
      const onProgress = (progress: Progress) => loaded.push(progress.loaded);
      await served.storage.downloadToFile('a', file, { range, onProgress });
      expect((await readFile(file)).equals(bytes)).toBe(true);
      expect(await readdir(folder)).toEqual(['a.bin']);
      expect(seen.length).toBeGreaterThan(1);
      expect(seen.slice(1).every(({ ifRange }) => ifRange === '"v1"')).toBe(true);
      expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
    },
  );

  it('replaces an idle connection with a new one', async () => {
    const { handle, seen } = files();
    await using served = await serveStorage((request, response) => {
      if (request.headers.range) return handle(request, response);
      response.writeHead(200, { ETag: '"v1"', 'Content-Length': BYTES.length });
      response.write(BYTES.subarray(0, 1));
    });
    await served.storage.downloadToFile('a', file, { timeouts: { perTry: 100 } });
    expect((await readFile(file)).equals(BYTES)).toBe(true);
    expect(seen).toEqual([{ range: 'bytes=1-', ifRange: '"v1"' }]);
  });

  it.each<[string, () => string | undefined]>([
    ['has a weak ETag', () => 'W/"v1"'],
    ['has no ETag', () => undefined],
  ])('leaves only the older file if its connection is lost and the file %s', async (_, etag) => {
    await using served = await serveStorage(files({ cut: 100_000, etag }).handle);
    const error = await failureOf(served.storage.downloadToFile('a', file));
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(await readFile(file, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['a.bin']);
  });

  it.each<[string, number, (from: number) => OutgoingHttpHeaders]>([
    ['its total differs', 206, (from) => ({ 'Content-Range': `bytes ${from}-299999/300001` })],
    [
      'it begins elsewhere',
      206,
      (from) => ({ 'Content-Range': `bytes ${from + 1}-299999/300000` }),
    ],
    ['it only begins alike', 206, (from) => ({ 'Content-Range': `bytes ${from}0-299999/300000` })],
    ['it ends elsewhere', 206, (from) => ({ 'Content-Range': `bytes ${from}-300000/300000` })],
    ['its range is not shown', 206, () => ({})],
    [
      'its ETag differs',
      206,
      (from) => ({ 'Content-Range': `bytes ${from}-299999/300000`, ETag: '"v2"' }),
    ],
    ['it is not a part', 200, (from) => ({ 'Content-Range': `bytes ${from}-299999/300000` })],
  ])('does not resume with a part if %s', async (_, status, headers) => {
    const first = files({ cut: 100_000 });
    await using served = await serveStorage((request, response) => {
      if (!request.headers.range) return first.handle(request, response);
      const from = Number(/\d+/.exec(request.headers.range)?.[0]);
      response.writeHead(status, { ETag: '"v1"', ...headers(from) });
      response.end(BYTES.subarray(from));
    });
    const error = await failureOf(served.storage.downloadToFile('a', file));
    expect(error).toMatchObject({ name: 'StorageError', status });
    expect(String(error)).toContain('the file changed during the download');
  });

  it('waits longer while no byte arrives, and then fails', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    /** Each connection breaks after this number of bytes of a file of 4. */
    const counts = [1, 0, 1, 0, 0, 0];
    const at: number[] = [];
    let sent = 0;
    const fetch = async (url: string) => {
      if (!url.startsWith('https://h/')) {
        return list({ fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://h/a' });
      }
      const from = sent;
      let left = counts[at.push(Date.now()) - 1] ?? 0;
      const body = new ReadableStream({
        pull(controller) {
          left -= 1;
          if (left < 0) return controller.error(new Error('lost'));
          sent += 1;
          controller.enqueue(Uint8Array.of(sent));
        },
      });
      const headers = { ETag: '"v1"', 'Content-Range': `bytes ${from}-3/4` };
      return at.length === 1
        ? new Response(body, { headers: { ETag: '"v1"', 'Content-Length': '4' } })
        : new Response(body, { headers, status: 206 });
    };
    let isOver = false;
    const { storage } = storageWith([], { fetch, retry: { attempts: 4 } });
    const failure = failureOf(storage.downloadToFile('a', file)).finally(() => {
      isOver = true;
    });
    // One by one, because all test files share a process: another file may have left a timer.
    while (!isOver) await vi.advanceTimersToNextTimerAsync();
    vi.useRealTimers();
    vi.restoreAllMocks();
    expect(await failure).toMatchObject({ name: 'NetworkError' });
    expect(at.slice(1).map((ms, index) => ms - (at[index] ?? 0))).toEqual([
      125, 250, 125, 250, 500,
    ]);
  });
});
