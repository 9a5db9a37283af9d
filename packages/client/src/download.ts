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

/**
 * Requests a link and fetches it. The link itself authorizes the download, so no credentials are sent.
 *
 * @param start the download that this one continues
 */
async function openFile(
  context: StorageContext,
  fileID: string,
  options: DownloadOptions,
  limit: Limit,
  start?: OpenFile,
): Promise<OpenFile> {
  const { range, maxAge, timeout, retry } = options;
  const { offset = 0, length } = range ?? {};
  const { signal, left } = limit;
  const url = await tempUrl(context, fileID, { maxAge, timeout, retry, signal });
  const what = `The download of ${fileID} was interrupted`;
  const call = { method: 'GET', url };
  const watch = watchIdle(checkIdle(options.idle, context.idle), signal, what, call);
  const headers: Record<string, string> = {};
  if (range) headers.range = `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`;
  if (start?.etag) headers['if-range'] = start.etag;

  watch.restart();
  const response = await context.links(url, { headers, retry }, { signal: watch.signal, left });
  watch.pause();
  const refuse = (reason?: string) => {
    watch.stop();
    const { status } = response;
    const retryable = isTemporary(status);
    const details = { ...call, status, reason, retryable };
    return new BerthError('storage', `${fileID} was not downloaded`, details);
  };
  const isEncoded = response.headers.has('Content-Encoding');
  const etag = response.headers.get('ETag') ?? '';
  const part = range && readContentRange(response);
  // Any success other than 200 and 203 has no body, or only part of it.
  if (!response.ok || !(range || response.status === 200 || response.status === 203)) {
    throw refuse();
  }
  if (range) {
    // A page sees only headers that the server exposes. The length of the part is checked in any case.
    const isHidden = response.type === 'cors' && !response.headers.has('Content-Range');
    const isPart = part ? isRequested(part, offset, length) : isHidden;
    const isSame =
      !start ||
      (etag === start.etag && (part?.total ?? start.total) === (start.total ?? part?.total));
    // Part of a compressed body cannot be decoded on its own.
    if (response.status !== 206 || !isPart || !isSame || isEncoded) {
      throw refuse(
        start ? 'the file changed during the download' : 'the response is not the requested part',
      );
    }
  }
  const contentLength = response.headers.get('Content-Length');
  let size: number | undefined;
  if (part) size = part.to - part.from + 1;
  else if (contentLength !== null && !isEncoded) size = Number(contentLength);
  // In a page, an encoding may be hidden, and the browser checks the length itself.
  const expected = part || response.type !== 'cors' ? size : undefined;
  const body = watchBody(response.body, {
    watch,
    size: expected,
    maxBytes: Math.min(expected ?? UNKNOWN, length ?? UNKNOWN),
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

const UNKNOWN = Number.POSITIVE_INFINITY;

/** Part of a file. `total` is the file size, if the server knows it. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly total: number | undefined;
}

/** Parses `Content-Range` (RFC 9110, section 14.4). Returns `undefined` if it is missing or invalid. */
function readContentRange({ headers }: Response): Part | undefined {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(headers.get('Content-Range') ?? '');
  if (!match) return undefined;
  const [, from = 0, to = 0, total] = match.map(Number);
  const isValid = from <= to && (!total || to < total);
  return isValid ? { from, to, total: total || undefined } : undefined;
}

/** Returns whether a part covers a range, or as much of it as the file has. */
function isRequested({ from, to, total }: Part, offset: number, length = UNKNOWN): boolean {
  return from === offset && to === Math.min(offset + length - 1, (total ?? to + 1) - 1);
}

interface BodyRules {
  readonly watch: IdleWatch;
  readonly size: number | undefined;
  readonly maxBytes: number;
  readonly report: ((loaded: number) => void) | undefined;
  readonly toError: (cause: unknown) => BerthError;
}

/**
 * Returns a body that ends with an error if it is cut off, has the wrong length, or makes no progress while its reader
 * waits. It is read only as fast as its reader asks.
 */
function watchBody(body: Response['body'], rules: BodyRules): ReadableStream<Uint8Array> {
  const { watch, size, maxBytes, report, toError } = rules;
  const reader = body?.getReader();
  let loaded = 0;

  const leave = (reason: unknown) => {
    watch.stop();
    reader?.cancel(reason).catch(() => {});
  };
  const read = async () => {
    try {
      watch.restart();
      const { value } = (await reader?.read()) ?? {};
      watch.pause();
      watch.signal.throwIfAborted();
      const length = loaded + (value?.byteLength ?? 0);
      if (length > maxBytes || (!value && length !== (size ?? length))) {
        throw new Error('The response has the wrong length.');
      }
      return value;
    } catch (error) {
      watch.signal.throwIfAborted();
      throw toError(error);
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        watch.signal.addEventListener('abort', () => {
          controller.error(watch.signal.reason);
          leave(watch.signal.reason);
        });
      },
      async pull(controller) {
        try {
          const value = await read();
          if (value) {
            loaded += value.byteLength;
            controller.enqueue(value);
            report?.(loaded);
          } else {
            controller.close();
          }
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
  const { range } = options;
  const { offset = 0, length } = range ?? {};
  const retry = checkRetry(options.retry, context.retry);
  const start = await openFile(context, fileID, options, limit);
  const report = toReport(onProgress, start.size);
  let reader = start.response.body?.getReader();
  let loaded = 0;
  let failures = 0;

  /** Returns how long to wait before the download continues, or `undefined` if it cannot. */
  const toDelay = () => {
    failures += 1;
    return start.etag ? delayAfter(failures, retry) : undefined;
  };
  const readNext = async () => {
    for (;;) {
      try {
        return (await reader?.read())?.value;
      } catch (error) {
        limit.signal.throwIfAborted();
        const delay = toDelay();
        if (delay === undefined) throw error;
        await pause(delay, limit.signal);
      }
      const rest = {
        offset: offset + loaded,
        length: length === undefined ? undefined : length - loaded,
      };
      const next = await openFile(context, fileID, { ...options, range: rest }, limit, start);
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
