import { saveFile, sendsIfRange } from '#platform';
import { resumable } from '../download/resumable.ts';
import { BerthError } from '../errors/berth-error.ts';
import { StorageError } from '../errors/storage-error.ts';
import { callOf, rememberedCall } from '../internal/calls.ts';
import { requestIdOf } from '../internal/request-id-of.ts';
import type { StorageContext } from '../internal/storage-context.ts';
import { type Progress, toReport } from '../internal/to-report.ts';
import { transferFailure } from '../internal/transfer-failure.ts';
import { type TempUrlOptions, tempUrl } from './temp-urls.ts';

/** A part of a file, in bytes. */
export interface DownloadRange {
  /** First byte, from 0. */
  readonly offset: number;
  /** Number of bytes, at least 1. Default: all to the end. */
  readonly length?: number | undefined;
}

/**
 * Options of a download. Of its `timeouts`, `perTry` is the longest time in which no byte comes;
 * `total` ends with the headers of the answer.
 */
export interface DownloadOptions extends TempUrlOptions {
  /** Only a part of the file (RFC 9110, section 14). Default: the whole file. */
  readonly range?: DownloadRange | undefined;
  /** Told how many bytes have come, as you read them. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Longest time in milliseconds in which no byte comes. */
const IDLE = 65_000;

/** Asks for a link and fetches it. The link carries its own grant: no credential goes with it. */
export async function download(
  context: StorageContext,
  fileID: string,
  options: DownloadOptions = {},
): Promise<Response> {
  const { range, signal } = options;
  const retry = options.retry ?? context.retry ?? {};
  const { perTry: idle = IDLE } = { ...context.timeouts, ...options.timeouts };
  if (range) assertRange(range);
  const { offset = 0, length } = range ?? {};

  const first = await get(context, fileID, options, range && toRange(offset, length));
  if (range && first.status !== 206) throw await refuse(first, fileID, 'no part of the file came');
  const etag = first.headers.get('ETag');
  const encoded = first.headers.get('Content-Encoding');
  const size = encoded ? null : first.headers.get('Content-Length');

  const goOn = async (loaded: number) => {
    const from = offset + loaded;
    const rest = toRange(from, length && length - loaded);
    const next = await get(context, fileID, options, rest, etag as string);
    const isSame = next.headers.get('ETag') === etag && next.status === 206;
    if (isSame && next.headers.get('Content-Range')?.startsWith(`bytes ${from}-`)) return next.body;
    throw await refuse(next, fileID, 'the file changed while it was downloaded');
  };
  const body = resumable(first.body, {
    // A weak ETag does not promise the same bytes (RFC 9110, section 8.8.1).
    reopen: retry && etag?.startsWith('"') && !encoded ? goOn : undefined,
    retry: retry || {},
    idle,
    signal,
    report: toReport(options.onProgress, size === null ? undefined : Number(size)),
    fail: (cause) =>
      cause instanceof BerthError
        ? cause
        : transferFailure(
            rememberedCall(first),
            `The download of ${fileID} broke off`,
            idle,
            cause,
          ),
  });
  return new Response(body, first);
}

/**
 * Downloads a file to the disk.
 *
 * @throws TypeError where the platform has no files
 */
export async function downloadToFile(
  context: StorageContext,
  fileID: string,
  file: string | URL,
  options?: DownloadOptions,
): Promise<void> {
  await saveFile((await download(context, fileID, options)).body, file);
}

async function get(
  context: StorageContext,
  fileID: string,
  options: DownloadOptions,
  range?: string,
  etag?: string,
): Promise<Response> {
  const { signal, timeouts, retry } = options;
  const url = await tempUrl(context, fileID, options);
  const headers = new Headers();
  if (range) headers.set('Range', range);
  // A browser would ask the server whether it may send this header, which it need not allow (D11).
  if (etag && sendsIfRange) headers.set('If-Range', etag);
  const call = { method: 'GET', url, headers, signal, timeouts, retry };
  const deadline = context.links.open(call);
  try {
    const response = await context.links.send(call, deadline, (answer) => answer);
    if (response.ok) return response;
    throw await refuse(response, fileID);
  } finally {
    deadline.close();
  }
}

async function refuse(response: Response, fileID: string, text?: string): Promise<StorageError> {
  await response.body?.cancel();
  const { method, path } = callOf(response);
  return new StorageError({
    what: `The link to ${fileID} gave no file`,
    method,
    path,
    status: response.status,
    text,
    requestId: requestIdOf(response),
  });
}

function assertRange({ offset, length = 1 }: DownloadRange): void {
  const isWhole = Number.isSafeInteger(offset) && Number.isSafeInteger(length);
  if (isWhole && offset >= 0 && length >= 1) return;
  throw new RangeError('A range is an offset of at least 0 and a length of at least 1, in bytes.');
}

function toRange(from: number, length: number | undefined): string {
  return `bytes=${from}-${length === undefined ? '' : from + length - 1}`;
}
