import { hidesHeaders, saveFile } from '#platform';
import type { RetryOptions } from '../call-options.ts';
import { BerthError, StorageError } from '../errors.ts';
import { openDeadline } from '../internal/deadline.ts';
import { describeResponse, rememberedCall, transferFailure } from '../internal/failures.ts';
import {
  assertInteger,
  mergeRetry,
  mergeTimeouts,
  type Progress,
  toReport,
} from '../internal/options.ts';
import { retryDelay } from '../internal/pipeline.ts';
import type { StorageContext } from '../internal/storage.ts';
import { type TempUrlOptions, tempUrl } from './lists.ts';

/** The part of a file to download. */
interface DownloadRange {
  /** First byte, counting from 0. */
  readonly offset: number;
  /** Number of bytes, at least 1. Default: the rest of the file. */
  readonly length?: number | undefined;
}

/**
 * Options for a download. In `timeouts`, `perTry` limits the time during which no bytes arrive, and `total`
 * limits the time until the response headers arrive.
 *
 * @example
 * const response = await storage.download(fileID, { range: { offset: 1_024 }, signal });
 */
export interface DownloadOptions extends TempUrlOptions {
  /** Part of the file to download (RFC 9110, section 14). Default: the complete file. */
  readonly range?: DownloadRange | undefined;
  /**
   * Called as you read the body, with the number of bytes received so far. If it throws, the download is
   * aborted.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Maximum time without a byte, in milliseconds. */
const IDLE = 65_000;

const UNKNOWN = Number.POSITIVE_INFINITY;

export function download(
  context: StorageContext,
  fileID: string,
  options: DownloadOptions = {},
): Promise<Response> {
  return startDownload(context, fileID, options, false);
}

export async function downloadToFile(
  context: StorageContext,
  fileID: string,
  file: string | URL,
  options: DownloadOptions = {},
): Promise<void> {
  await saveFile((await startDownload(context, fileID, options, true)).body, file);
}

/**
 * Requests a link and fetches it. The link itself authorizes the download, so no credentials are sent.
 *
 * @param resumes whether to continue the body with another request when its connection is lost
 */
async function startDownload(
  context: StorageContext,
  fileID: string,
  options: DownloadOptions,
  resumes: boolean,
): Promise<Response> {
  const { range, signal } = options;
  const { offset = 0, length } = range ?? {};
  const retry = mergeRetry(context.retry, options.retry);
  const { perTry: idle = IDLE } = mergeTimeouts(context.timeouts, options.timeouts);
  assertInteger('range.offset', offset, 0);
  assertInteger('range.length', length, 1);

  const refuse = (response: Response, text?: string) => {
    response.body?.cancel().catch(() => {});
    const what = `${fileID} was not downloaded`;
    return new StorageError(describeResponse(response, what, { message: text }));
  };
  const get = async (from?: number, etag?: string) => {
    const url = await tempUrl(context, fileID, options);
    const headers: Record<string, string> = {};
    const end = length === undefined ? '' : offset + length - 1;
    if (from !== undefined) headers.range = `bytes=${from}-${end}`;
    if (etag) headers['if-range'] = etag;
    const call = { ...options, method: 'GET', url, headers };
    const response = await context.links.send(call);
    if (response.ok) return response;
    throw refuse(response);
  };

  const first = await get(range && offset);
  const { headers } = first;
  const isEncoded = headers.has('Content-Encoding');
  const part = range && readContentRange(first);
  const told = part ? part.to - offset + 1 : headers.get('Content-Length');
  const size = isEncoded || told === null ? undefined : Number(told);
  if (range) {
    // If the browser hides which part this is, only the length can be checked, while reading.
    const isHidden = hidesHeaders && !headers.has('Content-Range');
    const isPart = part ? isWanted(part, offset, length) : isHidden;
    // Part of a compressed body cannot be decoded on its own.
    if (first.status !== 206 || !isPart || isEncoded) {
      throw refuse(first, 'the response is not the requested part');
    }
  } else if (first.status !== 200 && first.status !== 203) {
    // Any other success has no body, or only part of it.
    throw refuse(first);
  }
  const etag = headers.get('ETag') ?? '';
  const total = range ? part?.total : size;

  const reopen = async (loaded: number) => {
    const from = offset + loaded;
    const next = await get(from, etag);
    const rest = readContentRange(next);
    const isSame =
      next.status === 206 &&
      next.headers.get('ETag') === etag &&
      (rest?.total ?? total) === (total ?? rest?.total);
    // The part may end early (RFC 9110, section 15.3.7); then request the next one.
    if (isSame && rest?.from === from) return next.body;
    throw refuse(next, 'the file changed during the download');
  };
  const what = `The download of ${fileID} was interrupted`;
  const body = resumable(first.body, {
    // Equal weak ETags do not guarantee the same bytes (RFC 9110, section 8.8.1).
    retry: resumes && etag.startsWith('"') && !isEncoded && retry,
    reopen,
    size,
    most: Math.min(size ?? UNKNOWN, length ?? UNKNOWN),
    idle,
    signal,
    report: toReport(options.onProgress, size),
    fail: (cause) =>
      cause instanceof BerthError
        ? cause
        : transferFailure(rememberedCall(first), what, idle, cause),
  });
  return new Response(body, first);
}

/** Part of a file. `total` is the file size, if the server knows it. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly total: number | undefined;
}

/** Parses `Content-Range` (RFC 9110, section 14.4). Returns `undefined` if it is missing or invalid. */
function readContentRange({ headers }: Response): Part | undefined {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(headers.get('Content-Range') ?? '') ?? [];
  // An unknown total is `NaN`.
  const [, from = 1, to = 0, total = 0] = match.map(Number);
  return from <= to && !(to >= total) ? { from, to, total: total || undefined } : undefined;
}

/** Returns whether a part covers a range, or as much of it as the file has. */
function isWanted({ from, to, total }: Part, offset: number, length = UNKNOWN) {
  const wanted = offset + length - 1;
  return from === offset && to === Math.min(wanted, total === undefined ? to : total - 1);
}

type Body = ReadableStream<Uint8Array> | null;

interface ResumeRules {
  readonly reopen: (offset: number) => Promise<Body>;
  /** Retry options; `false` turns resuming off, as when parts cannot be requested. */
  readonly retry: RetryOptions | false;
  /** Size of the complete body in bytes; `undefined` if unknown. */
  readonly size: number | undefined;
  readonly most: number;
  /** Maximum time without a byte, in milliseconds. 0 means no limit. */
  readonly idle: number;
  readonly signal: AbortSignal | undefined;
  readonly report: ((loaded: number) => void) | undefined;
  /** Creates the error for a failed connection or, without a cause, for the `idle` timeout. */
  fail(cause?: unknown): Error;
}

const wrongLength = () => new Error('The response has the wrong length.');

/**
 * Creates a body that may resume when its connection is lost. It reads only as fast as its reader asks, and
 * only counts the time that the reader spends waiting.
 */
function resumable(
  first: Body,
  { reopen, retry, size, most, idle, signal, report, fail }: ResumeRules,
): ReadableStream<Uint8Array> {
  let reader = first?.getReader();
  let loaded = 0;
  let failures = 0;
  const ended = new AbortController();
  const either = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  const deadline = openDeadline(either, { perTry: idle }, () => fail());

  const read = async (): Promise<{ done: boolean; value?: Uint8Array | undefined }> =>
    reader?.read() ?? { done: true };

  const leave = (reason: unknown) => reader?.cancel(reason).catch(() => {});

  const goOn = async (error: unknown) => {
    leave(error);
    either.throwIfAborted();
    failures += 1;
    const delay = retryDelay(retry, failures);
    if (delay === undefined) throw fail(error);
    await deadline.pause(delay);
    reader = (await reopen(loaded))?.getReader();
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          try {
            const { done, value } = await deadline.step(read);
            if (done || !value) {
              if (loaded !== (size ?? loaded)) throw wrongLength();
              return controller.close();
            }
            loaded += value.byteLength;
            failures = 0;
            if (loaded <= most) controller.enqueue(value);
            break;
          } catch (error) {
            await goOn(error);
          }
        }
        try {
          if (loaded > most) throw fail(wrongLength());
          report?.(loaded);
        } catch (error) {
          leave(error);
          throw error;
        }
      },
      cancel(reason) {
        ended.abort(reason);
        return reader?.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
