import { execFileSync } from 'node:child_process';
import { lstat, open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BerthError, type DownloadOptions, type FetchLike, type Progress } from '@berth/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf, gatewayAt, shown, storageWith } from './support/clients.ts';
import { newFolder } from './support/folders.ts';
import { linked } from './support/responses.ts';
import { type Handler, hang, serveStorage } from './support/servers.ts';

type Range = NonNullable<DownloadOptions['range']>;

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 251));

/** Responds as in RFC 9110, but breaks off each response after `cut` bytes. */
function files({ cut = BYTES.length, etag = '"v1"' } = {}) {
  const seen: Record<string, unknown>[] = [];
  const handle: Handler = (request, response) => {
    const { range, 'if-range': ifRange } = request.headers;
    seen.push({ range, ifRange });
    if (etag) response.setHeader('ETag', etag);
    let bytes = BYTES;
    const [, from = 0, to = BYTES.length - 1] = /bytes=(\d+)-(\d*)/.exec(range ?? '') ?? [];
    const isPart = range !== undefined && (ifRange === undefined || ifRange === etag);
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

/** Responds with the bytes that a `Content-Range` names. */
const partOf =
  (contentRange: string, headers = {}, status = 206): Handler =>
  (_, response) => {
    const [from = 0, to = 4] = (contentRange.match(/\d+/g) ?? []).map(Number);
    if (contentRange) response.setHeader('Content-Range', contentRange);
    response.writeHead(status, { ETag: '"v1"', ...headers }).end(BYTES.subarray(from, to + 1));
  };

afterEach(() => void vi.useRealTimers());

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a download', () => {
  it.each([
    ['https://h/a b/中?sign=s#1', 'https://h/a%20b/%E4%B8%AD?sign=s%231'],
    ['https://h/a%20b/%E4%B8%AD?c=100%', 'https://h/a%20b/%E4%B8%AD?c=100%25'],
  ])('CL-LINK-ENCODING CL-LINK-CREDENTIALS: fetches %s', async (tempFileURL, url) => {
    const { storage, requests } = storageWith([linked(tempFileURL), new Response('bytes')]);
    const options = { headers: { 'X-A': 'b' } } as DownloadOptions;
    expect(await (await storage.download('a', options)).text()).toBe('bytes');
    expect(requests[0]?.headers.has('X-A')).toBe(false);
    expect(requests[1]?.url).toBe(url);
    expect([...(requests[1]?.headers ?? [])]).toEqual([]);
  });

  it('keeps its bytes if garbage is collected before they are read, as a raw call does', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    await using served = await serveStorage((_, response) => {
      response.write('hello ', () => response.end('world'));
    });
    const init = { params: { path: { name: 'x' } }, parseAs: 'stream' } as const;
    const { data } = await gatewayAt(served.url).GET('/v1/cloudrun/{name}', init);
    const download = await served.storage.download('a');
    for (let round = 0; round < 10; round += 1) {
      collectGarbage();
      // The platform cleans up between two tasks.
      await setImmediate();
    }
    const texts = [new Response(data).text(), download.text()];
    expect(await Promise.all(texts)).toEqual(['hello world', 'hello world']);
  });

  it('leaves no timer if its fetch throws at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const fetch = vi.fn<FetchLike>(() => {
      throw new Error('no');
    });
    fetch.mockResolvedValueOnce(linked());
    const call = storageWith([], { fetch, retry: false }).storage.download('a');
    await expect(call).rejects.toMatchObject({
      kind: 'network',
      message: 'No response: no (GET /a)',
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('follows a redirect of a link, to a response with any reason phrase', async () => {
    await using served = await serveStorage((request, response) => {
      if (request.url === '/there') request.socket.end('HTTP/1.1 200 Готово\r\n\r\nbytes');
      else response.writeHead(302, { Location: '/there' }).end();
    });
    const response = await served.storage.download('a');
    expect(shown(response)).not.toContain('5ec4e7');
    expect(await response.text()).toBe('bytes');
  });

  it.each([204, 206, 403])('refuses status %i', async (status) => {
    await using served = await serveStorage((_, response) => response.writeHead(status).end());
    const error = { kind: 'storage', status, path: '/file' };
    await expect(served.storage.download('a')).rejects.toMatchObject(error);
  });

  it.each([11, 9])('CL-DOWNLOAD-CUT: fails if not 10 bytes arrive, but %d', async (length) => {
    const file = new Response(new Uint8Array(length), { headers: { 'Content-Length': '10' } });
    const download = storageWith([linked(), file]).storage.download('a').then(bytesOf);
    const message = expect.stringContaining('has the wrong length');
    await expect(download).rejects.toMatchObject({ kind: 'network', message });
  });

  const cut: Handler = (_, r) => r.writeHead(200).write('a', () => r.destroy());
  const late: Handler = (_, r) => r.writeHead(200, { 'Content-Length': 9 }).write('a');
  it.each<[string, string, string, Handler, number?]>([
    ['its connection breaks', 'network', ': ', cut],
    ['a header is late', 'timeout', ': no progress for 50 ms', hang, 50],
    ['a byte is late', 'timeout', ': no progress for 50 ms', late, 50],
  ])('CL-DOWNLOAD-CUT: fails if %s', async (_, kind, reason, handle, idle) => {
    await using served = await serveStorage(handle);
    const error = await failureOf(served.storage.download('a', { idle }).then(bytesOf));
    const message = expect.stringContaining(`a was not downloaded${reason}`);
    expect(error).toMatchObject({ kind, path: '/file', message });
    expect(shown(error)).not.toContain('5ec4e7');
    expect(served.links()).toBe(1);
  });
});

describe('a part of a file', () => {
  const download = async (range: Range, handle: Handler) => {
    await using served = await serveStorage(handle);
    const response = await served.storage.download('a', { range });
    return { requested: served.calls.at(-1)?.headers.range, bytes: await bytesOf(response) };
  };

  it.each<[Range, string, string]>([
    [{ offset: 10, length: 5 }, 'bytes=10-14', 'bytes 10-14/300000'],
    [{ offset: 299_990 }, 'bytes=299990-', 'bytes 299990-299999/300000'],
    [{ offset: 10, length: 20 }, 'bytes=10-29', 'bytes 10-14/15'],
    [{ offset: 10, length: 20 }, 'bytes=10-29', 'bytes 10-29/*'],
    [{ offset: 10, length: 20 }, 'bytes=10-29', 'bytes 10-14/*'],
  ])('%j is requested and returned: %s, %s', async (range, requested, contentRange) => {
    const [from, to] = contentRange.match(/\d+/g) as [string, string];
    const bytes = BYTES.subarray(Number(from), Number(to) + 1);
    expect(await download(range, partOf(contentRange))).toEqual({ requested, bytes });
  });

  it.each<[string, Range, string, object?, number?]>([
    ['fewer bytes', { offset: 0, length: 1_000 }, 'bytes 0-99/300000'],
    ['more bytes', { offset: 10, length: 20 }, 'bytes 10-99999/300000'],
    ['another beginning', { offset: 10, length: 20 }, 'bytes 9-28/300000'],
    ['an end before that of the file', { offset: 10 }, 'bytes 10-19/300000'],
    ['an end behind that of the file', { offset: 10, length: 20 }, 'bytes 10-29/25'],
    ['more bytes of a file of unknown length', { offset: 0, length: 5 }, 'bytes 0-9/*'],
    ['no Content-Range', { offset: 0, length: 5 }, ''],
    ['an end before the beginning', { offset: 5 }, 'bytes 5-4/5'],
    ['compressed bytes', { offset: 0, length: 5 }, 'bytes 0-4/9', { 'Content-Encoding': 'gzip' }],
    ['the entire file', { offset: 0, length: 5 }, 'bytes 0-4/9', {}, 200],
  ])('CL-DOWNLOAD-CUT: is refused with %s', async (_, range, sent, headers, status = 206) => {
    const message = expect.stringContaining('the response is not the requested part');
    const error = { kind: 'storage', status, message };
    await expect(download(range, partOf(sent, headers, status))).rejects.toMatchObject(error);
  });
});

describe('a download to a file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await newFolder({ 'a.bin': 'old' });
    file = join(folder, 'a.bin');
  });

  it.each([
    [undefined, BYTES],
    [{ offset: 1_000, length: 250_000 }, BYTES.subarray(1_000, 251_000)],
  ])('CL-DOWNLOAD-CUT: continues after breaks, and replaces the file: %j', async (range, bytes) => {
    // Attempts are counted again once bytes have arrived.
    const { handle, seen } = files({ cut: 60_000 });
    await using served = await serveStorage(handle);
    const loaded: number[] = [];
    const onProgress = (progress: Progress) => loaded.push(progress.loaded);
    await served.storage.downloadToFile('a', file, { range, onProgress });
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(await readdir(folder)).toEqual(['a.bin']);
    expect([seen.length, served.links()]).toEqual([5, 5]);
    for (const { ifRange } of seen.slice(1)) expect(ifRange).toBe('"v1"');
    expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
    expect(loaded.at(-1)).toBe(bytes.length);
  });

  it('keeps the mode of a file, and links and pipes as they are', async () => {
    await using served = await serveStorage((_, response) => response.end('new'));
    const long = join(folder, '文'.repeat(80));
    const link = join(folder, 'link');
    const pipe = join(folder, 'pipe');
    await writeFile(long, 'old', { mode: 0o600 });
    await symlink(long, link);
    // Not a device such as /dev/null, which a defect would replace.
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    await using reader = await open(pipe, 'r+');
    for (const target of [link, pipe]) await served.storage.downloadToFile('a', target);
    expect(await readFile(long, 'utf8')).toBe('new');
    expect((await stat(long)).mode & 0o777).toBe(0o600);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await stat(pipe)).isFIFO()).toBe(true);
    expect(String((await reader.read()).buffer.subarray(0, 3))).toBe('new');
    // Some file systems have no modes.
    const chmod = vi.spyOn(Object.getPrototypeOf(reader), 'chmod').mockRejectedValue(new Error());
    await served.storage.downloadToFile('a', file);
    expect([chmod.mock.calls.length, await readFile(file, 'utf8')]).toEqual([1, 'new']);
    chmod.mockRestore();
  });

  it.each(['has no reader', 'is not read'])('ends in time if a pipe %s', async (problem) => {
    await using served = await serveStorage(files().handle);
    const pipe = join(folder, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    const reader = problem === 'is not read' ? await open(pipe, 'r+') : undefined;
    const download = served.storage.downloadToFile('a', pipe, { timeout: 200 });
    await expect(download).rejects.toMatchObject({ kind: 'timeout' });
    // Ends what still waits for the pipe.
    await (reader ?? (await open(pipe, 'r+'))).close();
  });

  const enough = new Error('enough');
  const stop = new AbortController();
  const { signal } = stop;
  const fail = (error: Error) => () => {
    throw error;
  };
  const temporary = new BerthError('network', 'from onProgress', { retryable: true });
  const failLater = ({ loaded }: Progress) => {
    if (loaded === BYTES.length) throw temporary;
  };
  const intact = () => Array(9).fill(files().handle);
  const stall: Handler = (_, response) => {
    response.writeHead(200, { ETag: '"v1"', 'Content-Length': 10 }).write('a');
  };
  const cut = (etag: string) => [files({ cut: 100_000, etag }).handle];
  const lost = { kind: 'network' };
  const late = { kind: 'timeout', message: 'a was not downloaded: timed out after 50 ms' };
  const idle = { kind: 'timeout', path: '/file' };
  /** Continues with a part after a break. */
  const cutThen = (range: string, ETag = '"v1"', status = 206) =>
    cut('"v1"').concat(partOf(range, { ETag }, status));
  const message = expect.stringContaining('the file changed during the download');
  const changed = { kind: 'storage', message };
  /** Ignores the signal. */
  const deaf: FetchLike = (url, init) => fetch(url, { ...init, signal: null });
  it.each<[string, Handler[], object, DownloadOptions?, FetchLike?]>([
    ['the file has a weak ETag', cut('W/"v1"'), lost],
    ['the file has no ETag', cut(''), lost],
    ['retries are off', cut('"v1"'), lost, { retry: false }],
    ['it is aborted', [stall], enough, { signal, onProgress: () => stop.abort(enough) }],
    ['onProgress throws', [stall], enough, { onProgress: fail(enough) }],
    ['onProgress throws a temporary error', intact(), temporary, { onProgress: fail(temporary) }],
    ['onProgress throws one at the end', intact(), temporary, { onProgress: failLater }],
    ['it takes too long', [stall], late, { timeout: 50 }],
    ['its fetch ignores the time limit', [hang], late, { timeout: 50 }, deaf],
    ['its fetch ignores the idle limit', [hang], idle, { idle: 50, retry: false }, deaf],
    ['the total differs later', cutThen('bytes 100000-300000/300001'), changed],
    ['a part begins elsewhere', cutThen('bytes 100001-299999/300000'), changed],
    ['the ETag differs later', cutThen('bytes 100000-299999/300000', '"v2"'), changed],
    ['there is no part', cutThen('bytes 100000-299999/300000', '"v1"', 200), changed],
  ])(
    'CL-DOWNLOAD-CUT: keeps only the older file if %s',
    async (_, handlers, expected, options, fetch) => {
      await using served = await serveStorage((...call) => handlers.shift()?.(...call), { fetch });
      const download = served.storage.downloadToFile('a', file, options);
      await expect(download).rejects.toMatchObject(expected);
      expect(await readdir(folder)).toEqual(['a.bin']);
      expect(await readFile(file, 'utf8')).toBe('old');
    },
  );

  const empty: Handler = (_, response) => {
    response.writeHead(200, { 'Content-Length': BYTES.length }).flushHeaders();
    response.destroy();
  };
  // Time passes only while the server stalls, so that a busy machine does not matter.
  const stallLong = () => vi.advanceTimersByTime(65_000);
  it.each<[string, Handler[]]>([
    ['the first link stalls before its headers', [stallLong]],
    ['the first link breaks before its first byte, without an ETag', [empty]],
    ['the continuation stalls before its headers', [files({ cut: 100_000 }).handle, stallLong]],
  ])('tries again if %s', async (_, faults) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    const handlers = [...faults, files().handle];
    await using served = await serveStorage((...call) => handlers.shift()?.(...call));
    await served.storage.downloadToFile('a', file);
    expect((await readFile(file)).equals(BYTES)).toBe(true);
    expect(served.links()).toBe(faults.length + 1);
  });
});
