import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { DownloadOptions, Progress } from '@berth/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { type Handler, serveStorage } from './support/loopback.ts';

type DownloadRange = NonNullable<DownloadOptions['range']>;

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 251));

/** Responds as in RFC 9110, but cuts off each response after `cut` bytes. */
function files({
  cut = BYTES.length,
  etag = () => '"v1"' as string | undefined,
  ranges = true,
} = {}) {
  const seen: Record<string, unknown>[] = [];
  const handle: Handler = (request: IncomingMessage, response: ServerResponse) => {
    const { range, 'if-range': ifRange } = request.headers;
    seen.push({ range, ifRange });
    const tag = etag();
    if (tag) response.setHeader('ETag', tag);
    let bytes = BYTES;
    const [, from = 0, to = BYTES.length - 1] = /bytes=(\d+)-(\d*)/.exec(range ?? '') ?? [];
    const isPart = ranges && range !== undefined && (ifRange === undefined || ifRange === tag);
    if (isPart) {
      const end = Number(to || BYTES.length - 1);
      bytes = BYTES.subarray(Number(from), end + 1);
      response.setHeader('Content-Range', `bytes ${from}-${end}/${BYTES.length}`);
    }
    response.writeHead(isPart ? 206 : 200, { 'Content-Length': bytes.length });
    if (bytes.length <= cut) return response.end(bytes);
    response.write(bytes.subarray(0, cut), () => setTimeout(() => response.destroy(), 20));
  };
  return { handle, seen };
}
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-download-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a download', () => {
  it('returns the complete file, with progress, and hides its link', async () => {
    const { handle } = files();
    await using served = await serveStorage(handle);
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => seen.push(progress);
    const response = await served.storage.download('a', { onProgress });
    expect(inspect(response, { depth: 5, showHidden: true })).not.toContain('5ec4e7');
    expect((await bytesOf(response)).equals(BYTES)).toBe(true);
    expect(seen.at(-1)).toEqual({ loaded: BYTES.length, total: BYTES.length });
  });

  it.each([
    [{ offset: 10, length: 5 }, 'bytes=10-14', BYTES.subarray(10, 15)],
    [{ offset: 299_990 }, 'bytes=299990-', BYTES.subarray(299_990)],
    [{ offset: 0, length: 1 }, 'bytes=0-0', BYTES.subarray(0, 1)],
  ])('returns the part %j', async (range, header, bytes) => {
    const { handle, seen } = files();
    await using served = await serveStorage(handle);
    const response = await served.storage.download('a', { range });
    expect(response.status).toBe(206);
    expect(await bytesOf(response)).toEqual(bytes);
    expect(seen).toEqual([{ range: header, ifRange: undefined }]);
  });

  it('rejects an invalid range, and the complete file instead of a part', async () => {
    const { handle } = files({ ranges: false });
    await using served = await serveStorage((request, response) => {
      response.setHeader('Content-Range', `bytes 1-${BYTES.length - 1}/${BYTES.length}`);
      return handle(request, response);
    });
    for (const range of [{ offset: -1 }, { offset: 0, length: 0 }, { offset: 0.5 }]) {
      const error = await failureOf(served.storage.download('a', { range }));
      expect(error).toBeInstanceOf(RangeError);
      expect(String(error)).toContain('length' in range ? 'range.length' : 'range.offset');
    }
    const error = await failureOf(served.storage.download('a', { range: { offset: 1 } }));
    expect(error).toMatchObject({ name: 'StorageError', status: 200 });
    expect(String(error)).toContain('the response is not the requested part');
  });

  const partOf = (contentRange: string, headers: OutgoingHttpHeaders = {}): Handler => {
    const [from = 0, to = 4] = (contentRange.match(/\d+/g) ?? []).map(Number);
    const bytes = BYTES.subarray(from, to + 1);
    return (_, response) => {
      if (contentRange) response.setHeader('Content-Range', contentRange);
      response.writeHead(206, { ETag: '"v1"', ...headers }).end(bytes);
    };
  };

  it.each<[string, DownloadRange, string, OutgoingHttpHeaders?]>([
    ['fewer bytes', { offset: 0, length: 1_000 }, 'bytes 0-99/300000'],
    ['more bytes', { offset: 10, length: 20 }, 'bytes 10-99999/300000'],
    ['another beginning', { offset: 10, length: 20 }, 'bytes 9-28/300000'],
    ['a beginning with the same first digits', { offset: 1 }, 'bytes 10-299999/300000'],
    ['an end before that of the file', { offset: 10 }, 'bytes 10-19/300000'],
    ['an end behind that of the file', { offset: 10, length: 20 }, 'bytes 10-29/25'],
    ['more bytes of a file of unknown length', { offset: 0, length: 5 }, 'bytes 0-9/*'],
    ['another unit', { offset: 0, length: 5 }, 'lines 0-4/9'],
    ['no Content-Range', { offset: 0, length: 5 }, ''],
    ['a range within another one', { offset: 0, length: 5 }, 'x bytes 0-4/9'],
    ['a total that is not a number', { offset: 0, length: 5 }, 'bytes 0-4/9x'],
    ['an end before the beginning', { offset: 5 }, 'bytes 5-4/5'],
    ['compressed bytes', { offset: 0, length: 5 }, 'bytes 0-4/9', { 'Content-Encoding': 'gzip' }],
  ])('refuses a part with %s', async (_, range, contentRange, headers) => {
    await using served = await serveStorage(partOf(contentRange, headers));
    const error = await failureOf(served.storage.download('a', { range }).then(bytesOf));
    expect(error).toMatchObject({ name: 'StorageError', status: 206 });
    expect(String(error)).toContain('the response is not the requested part');
  });

  it.each<[DownloadRange, string, number]>([
    [{ offset: 10, length: 20 }, 'bytes 10-14/15', 5],
    [{ offset: 10, length: 20 }, 'bytes 10-29/*', 20],
    [{ offset: 10, length: 20 }, 'bytes 10-14/*', 5],
    [{ offset: 299_990 }, 'bytes 299990-299999/300000', 10],
  ])('accepts a part that ends with the file: %j', async (range, contentRange, length) => {
    await using served = await serveStorage(partOf(contentRange));
    const response = await served.storage.download('a', { range });
    expect(await bytesOf(response)).toHaveLength(length);
  });

  it('accepts a file that a proxy has transformed, with the status that says so', async () => {
    await using served = await serveStorage((_, response) => response.writeHead(203).end('a'));
    expect(await (await served.storage.download('a')).text()).toBe('a');
  });

  it.each([204, 205, 206])('refuses status %i, which comes without a file', async (status) => {
    await using served = await serveStorage((_, response) => response.writeHead(status).end());
    const error = await failureOf(served.storage.download('a'));
    expect(error).toMatchObject({ name: 'StorageError', status });
  });

  it.each([
    ['more', 11],
    ['less', 9],
  ])('fails if %s bytes arrive than its Content-Length', async (_, length) => {
    const fetch = async (url: string, init: RequestInit) => {
      if (!url.includes('/file')) return globalThis.fetch(url, init);
      const headers = { 'Content-Length': '10', ETag: '"v1"' };
      return new Response(new Uint8Array(length), { headers });
    };
    await using served = await serveStorage(() => {}, { fetch });
    const error = await failureOf(served.storage.download('a', { retry: false }).then(bytesOf));
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(String(error)).toMatch(/has the wrong length/);
  });

  it('fails if its connection is lost', async () => {
    const { handle, seen } = files({ cut: 100_000 });
    await using served = await serveStorage(handle);
    const error = await failureOf(served.storage.download('a').then(bytesOf));
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(String(error)).toContain('The download of a was interrupted');
    expect(inspect(error, { depth: 9 })).not.toContain('5ec4e7');
    expect(seen).toHaveLength(1);
  });

  it('ends if the signal aborts, or no byte arrives in time', async () => {
    const handle: Handler = (_, response) => {
      response.writeHead(200, { 'Content-Length': 10, ETag: '"v1"' });
      response.write('a');
    };
    await using served = await serveStorage(handle);
    const controller = new AbortController();
    const { signal } = controller;
    const body = served.storage.download('a', { signal }).then(bytesOf);
    const aborted = failureOf(body);
    setTimeout(() => controller.abort(new Error('enough')), 50);
    expect(String(await aborted)).toBe('Error: enough');
    const options = { timeouts: { perTry: 50 } } as const;
    const error = await failureOf(served.storage.download('a', options).then(bytesOf));
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

describe('a download to a file', () => {
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
    const first = files({ cut: 100 });
    let count = 0;
    await using served = await serveStorage((request, response) => {
      count += 1;
      if (count === 1) return first.handle(request, response);
      const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
      response.writeHead(status, { ETag: '"v1"', ...headers(from) });
      response.end(BYTES.subarray(from));
    });
    const error = await failureOf(served.storage.downloadToFile('a', join(folder, 'a')));
    expect(error).toMatchObject({ name: 'StorageError', status });
    expect(String(error)).toContain('the file changed during the download');
    expect(count).toBe(2);
  });

  it('fails with the error of the link if that is refused later', async () => {
    const first = files({ cut: 100 });
    let count = 0;
    await using served = await serveStorage((request, response) => {
      count += 1;
      if (count === 1) return first.handle(request, response);
      response.writeHead(403).end();
    });
    const error = await failureOf(served.storage.downloadToFile('a', join(folder, 'a')));
    expect(error).toMatchObject({ name: 'StorageError', status: 403 });
    expect(String(error)).not.toContain('changed');
  });

  it.each([
    [undefined, BYTES],
    [{ offset: 1_000, length: 250_000 }, BYTES.subarray(1_000, 251_000)],
  ])('resumes when its connection is lost: %j', async (range, bytes) => {
    const { handle, seen } = files({ cut: 100_000 });
    await using served = await serveStorage(handle);
    const loaded: number[] = [];
    const onProgress = (progress: Progress) => loaded.push(progress.loaded);
    const file = join(folder, 'a');
    await served.storage.downloadToFile('a', file, { range, onProgress });
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.slice(1).every(({ ifRange }) => ifRange === '"v1"')).toBe(true);
    expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
  });

  it.each([
    ['changes', () => `"v${randomUUID()}"`],
    ['has a weak ETag', () => 'W/"v1"'],
    ['has no ETag', () => undefined],
  ])('fails if its connection is lost and the file %s', async (_, etag) => {
    const { handle } = files({ cut: 100_000, etag });
    await using served = await serveStorage(handle);
    const error = await failureOf(served.storage.downloadToFile('a', join(folder, 'a')));
    expect(['StorageError', 'NetworkError']).toContain((error as Error).name);
    expect(String(error)).toMatch(/the file changed during|The download of a was interrupted/);
  });

  it('replaces an older file with the complete new one', async () => {
    const { handle } = files({ cut: 100_000 });
    await using served = await serveStorage(handle);
    const file = join(folder, 'a.bin');
    await writeFile(file, 'old');
    await served.storage.downloadToFile('a', file);
    expect((await readFile(file)).equals(BYTES)).toBe(true);
    expect(await readdir(folder)).toEqual(['a.bin']);
  });

  it('leaves only the older file if it fails', async () => {
    const { handle } = files({ cut: 100_000, etag: () => undefined });
    await using served = await serveStorage(handle);
    const file = join(folder, 'a.bin');
    await writeFile(file, 'old');
    const error = await failureOf(served.storage.downloadToFile('a', file));
    expect(error).toMatchObject({ name: 'NetworkError' });
    expect(await readFile(file, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['a.bin']);
  });
});
