import { saveFile } from '#platform';
import { type TempUrlOptions, tempUrl } from './batches.ts';
import { BerthError, networkError } from './errors.ts';
import { checkRetry, checkTimeout, delayAfter, type Limit, pause, withLimit } from './fetch.ts';
import { checkInteger, isTemporary, type StorageContext } from './storage-call.ts';
import {
  checkIdle,
  type IdleWatch,
  type TransferOptions,
  toReport,
  watchIdle,
} from './transfer.ts';

/** The part of a file to download. */
interface DownloadRange {
  /** First byte, counting from 0. */
  readonly offset: number;
  /** Number of bytes, at least 1. Default: the rest of the file. */
  readonly length?: number | undefined;
}

/**
 * Options for a download. `timeout` limits the time until the response headers arrive or, for `downloadToFile`, all of
 * it; by default, only `idle` is limited.
 *
 * @example
 * const response = await storage.download(fileID, { range: { offset: 1_024 }, signal });
 */
export interface DownloadOptions extends TempUrlOptions, TransferOptions {
  /** Part of the file to download (RFC 9110, section 14). Default: the entire file. */
  readonly range?: DownloadRange | undefined;
}

export async function download(
  context: StorageContext,
  fileID: string,
  options: DownloadOptions = {},
): Promise<Response> {
  const { response } = await withLimit(toLimits(context, options), { url: fileID }, (limit) =>
    openFile(context, fileID, options, limit),
  );
  return response;
}

export async function downloadToFile(
  context: StorageContext,
  fileID: string,
  file: string | URL,
  options: DownloadOptions = {},
): Promise<void> {
  let saving: Promise<void> | undefined;
  try {
    await withLimit(toLimits(context, options), { url: fileID }, (limit) => {
      saving = saveFile(readToEnd(context, fileID, options, limit), file);
      return saving;
    });
  } finally {
    // Even after an abort, the temporary file is gone when the call ends.
    await saving?.catch(() => {});
  }
}

function toLimits(context: StorageContext, { signal, timeout, range, idle }: DownloadOptions) {
  checkInteger('range.offset', range?.offset, 0);
  checkInteger('range.length', range?.length, 1);
  checkIdle(idle);
  return { signal, timeout: checkTimeout(timeout) ?? context.timeout ?? 0 };
}

/** A file whose body has not been read yet. */
interface OpenFile {
  readonly response: Response;
  /** Number of bytes in the body; `undefined` if unknown. */
  readonly size: number | undefined;
  /** Size of the entire file; `undefined` if unknown. */
  readonly total: number | undefined;
  /** The strong `ETag`, if the download can continue after a break. */
  readonly etag: string | undefined;
}

const UNKNOWN = Number.POSITIVE_INFINITY;

/**
 * Requests a link and fetches it. The link itself authorizes the download, so no credentials are sent.
 *
 * @param start the download that this one continues
 */
async function openFile(
  context: StorageContext,
  fileID: string,
  options: DownloadOptions,
  { signal, left }: Limit,
  start?: OpenFile,
): Promise<OpenFile> {
  const { range, maxAge, timeout, retry } = options;
  const { offset = 0, length = UNKNOWN } = range ?? {};
  const end = offset + length - 1;
  const url = await tempUrl(context, fileID, { maxAge, timeout, retry, signal });
  const call = { method: 'GET', url };
  const what = `The download of ${fileID} was interrupted`;
  const watch = watchIdle(checkIdle(options.idle, context.idle), signal, what, call);
  const headers = new Headers();
  if (range) headers.set('Range', `bytes=${offset}-${end === UNKNOWN ? '' : end}`);
  if (start?.etag) headers.set('If-Range', start.etag);
  watch.restart();
  const response = await context.links(url, { headers, retry }, { signal: watch.signal, left });
  watch.pause();

  const { status, type } = response;
  const refuse = (reason?: string) => {
    watch.stop();
    const details = { ...call, status, reason, retryable: isTemporary(status) };
    return new BerthError('storage', `${fileID} was not downloaded`, details);
  };
  // Any success without `range` other than 200 and 203 has no body, or only part of it.
  if (!response.ok || (!range && status !== 200 && status !== 203)) throw refuse();
  const isEncoded = response.headers.has('Content-Encoding');
  const etag = response.headers.get('ETag') ?? '';
  const contentRange = response.headers.get('Content-Range');
  const part = range && readContentRange(contentRange);
  if (range) {
    // A page sees only headers that the server exposes. The length of the part is checked in any case.
    const isHidden = type === 'cors' && contentRange === null;
    const isPart = part
      ? part.from === offset && part.to === Math.min(end, part.total ? part.total - 1 : part.to)
      : isHidden;
    const isTotal = !(part?.total && start?.total) || part.total === start.total;
    const isSame = !start || (etag === start.etag && isTotal);
    // Part of a compressed body cannot be decoded on its own.
    if (status !== 206 || !isPart || !isSame || isEncoded) {
      const reason = 'the response is not the requested part';
      throw refuse(start ? 'the file changed during the download' : reason);
    }
  }

  const contentLength = response.headers.get('Content-Length');
  let size: number | undefined;
  if (part) size = part.to - part.from + 1;
  else if (contentLength !== null && !isEncoded) size = Number(contentLength);
  const body = watchBody(response.body, watch, {
    // In a page, an encoding may be hidden, and the browser checks the length itself.
    size: part || type !== 'cors' ? size : undefined,
    maxBytes: length,
    report: toReport(options.onProgress, size),
    toError: (cause) => networkError(what, call, cause),
  });
  return {
    response: new Response(body, response),
    size,
    total: range ? part?.total : size,
    // Equal weak ETags do not guarantee the same bytes (RFC 9110, section 8.8.1).
    etag: etag.startsWith('"') && !isEncoded ? etag : undefined,
  };
}

/** Parses `Content-Range` (RFC 9110, section 14.4). Returns `undefined` if it is missing or invalid. */
function readContentRange(value: string | null) {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(value ?? '');
  if (!match) return undefined;
  const [, from = 0, to = 0, size = 0] = match.map(Number);
  // An unknown size is `*`.
  const total = size || undefined;
  return from <= to && to < (total ?? UNKNOWN) ? { from, to, total } : undefined;
}

interface BodyRules {
  readonly size: number | undefined;
  readonly maxBytes: number;
  readonly report: ((loaded: number) => void) | undefined;
  readonly toError: (cause: unknown) => BerthError;
}

/**
 * Returns a body that ends with an error if it is cut off, has the wrong length, or makes no progress while its reader
 * waits. It is read only as fast as its reader asks.
 */
function watchBody(
  body: Response['body'],
  watch: IdleWatch,
  { size = UNKNOWN, maxBytes, report, toError }: BodyRules,
): ReadableStream<Uint8Array> {
  const { signal } = watch;
  const reader = body?.getReader();
  let loaded = 0;
  const leave = (reason: unknown) => {
    watch.stop();
    reader?.cancel(reason).catch(() => {});
  };
  // Also ends a read that waits.
  signal.addEventListener('abort', () => leave(signal.reason));

  /** Returns the next bytes, or `undefined` at the end. */
  const read = async () => {
    try {
      watch.restart();
      const { value } = (await reader?.read()) ?? {};
      watch.pause();
      signal.throwIfAborted();
      loaded += value?.byteLength ?? 0;
      const isCut = !value && size !== UNKNOWN && loaded < size;
      if (isCut || loaded > Math.min(size, maxBytes)) {
        throw new Error('The response has the wrong length.');
      }
      return value;
    } catch (error) {
      signal.throwIfAborted();
      throw toError(error);
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const value = await read();
          if (!value) return controller.close();
          controller.enqueue(value);
          report?.(loaded);
        } catch (error) {
          controller.error(error);
          leave(error);
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}

/** Yields the bytes of a file. After a break, it requests a new link and continues, if the file is still the same. */
async function* readToEnd(
  context: StorageContext,
  fileID: string,
  { onProgress, ...options }: DownloadOptions,
  limit: Limit,
): AsyncGenerator<Uint8Array> {
  const { offset = 0, length } = options.range ?? {};
  const retry = checkRetry(options.retry, context.retry);
  const start = await openFile(context, fileID, options, limit);
  const report = toReport(onProgress, start.size);
  let reader = start.response.body?.getReader();
  let loaded = 0;
  let failures = 0;

  const readNext = async () => {
    for (;;) {
      try {
        return (await reader?.read())?.value;
      } catch (error) {
        limit.signal.throwIfAborted();
        failures += 1;
        const delay = start.etag ? delayAfter(failures, retry) : undefined;
        if (delay === undefined) throw error;
        await pause(delay, limit.signal);
      }
      const range = { offset: offset + loaded, length: length && length - loaded };
      const next = await openFile(context, fileID, { ...options, range }, limit, start);
      reader = next.response.body?.getReader();
    }
  };

  try {
    for (let chunk = await readNext(); chunk; chunk = await readNext()) {
      failures = 0;
      loaded += chunk.byteLength;
      report?.(loaded);
      yield chunk;
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}
