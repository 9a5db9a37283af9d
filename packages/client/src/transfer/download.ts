import { saveFile } from '#platform';
import { type CallBudget, untilAborted, withBudget } from '../budget.ts';
import type { TransferOptions } from '../call-options.ts';
import { checkNumber } from '../checks.ts';
import type { StorageContext } from '../context.ts';
import { BerthError, isBerthError } from '../errors.ts';
import { createSender } from '../fetch.ts';
import type { FileMethods, TempUrlOptions } from '../files.ts';
import { type IdleWatch, readBody, watchIdle } from '../idle.ts';
import { retryOfStorage } from '../retry-rules.ts';
import { isPage } from '../urls.ts';

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
 */
export interface DownloadOptions extends TempUrlOptions, TransferOptions {
  /** Part of the file to download (RFC 9110, section 14). Default: the entire file. */
  readonly range?: DownloadRange | undefined;
}

type DownloadContext = StorageContext & Pick<FileMethods, 'tempUrl'>;

/** A download within its time limit, and what it needs to continue after an interruption. */
interface Download {
  readonly context: DownloadContext;
  readonly options: DownloadOptions;
  readonly budget: CallBudget;
  readonly summary: string;
  createLink(): Promise<string>;
  /** The part with the first bytes. */
  first?: Part | undefined;
  /** Number of bytes read. */
  loaded: number;
}

export async function download(
  context: DownloadContext,
  fileID: string,
  options: DownloadOptions = {},
): Promise<Response> {
  return startDownload(context, fileID, options, async (started) => {
    const part = await openLink(started, await started.createLink());
    started.first = part;
    const { status, headers } = part.response;
    // Without its reason phrase, which a `Response` cannot be created with unless it is Latin-1.
    return new Response(toBody(withProgress(started, part.chunks), part.stop), { status, headers });
  });
}

export async function downloadToFile(
  context: DownloadContext,
  fileID: string,
  file: string | URL,
  options: DownloadOptions = {},
): Promise<void> {
  let saving: Promise<void> | undefined;
  await startDownload(context, fileID, options, (started) => {
    saving = saveFile(withProgress(started, readToEnd(started)), file, started.budget.signal);
    return saving;
  }).catch(async (error) => {
    // When the call ends, either the file is complete, or its temporary file is gone.
    const isSaved = await saving?.then(() => true).catch(() => false);
    if (!isSaved) throw error;
  });
}

async function startDownload<T>(
  context: DownloadContext,
  fileID: string,
  options: DownloadOptions,
  run: (started: Download) => Promise<T>,
): Promise<T> {
  const { range, idle } = options;
  checkNumber('range.offset', range ? (range.offset ?? Number.NaN) : 0, 0, 'an integer');
  checkNumber('range.length', range?.length, 1, 'an integer');
  checkNumber('idle', idle, 0);
  const summary = `${fileID} was not downloaded`;
  const call = { ...options, summary: `${summary}:`, idempotent: true };
  return withBudget(call, context.transferLimits, undefined, (budget) => {
    // The call for a link has its own budget.
    const createLink = () => context.tempUrl(fileID, { ...options, signal: budget.signal });
    return run({ context, options, budget, summary, createLink, loaded: 0 });
  });
}

/** Reports progress outside the retries, so that an error of `onProgress` ends the download. */
async function* withProgress(started: Download, chunks: Part['chunks']) {
  let loaded = 0;
  for await (const chunk of chunks) {
    loaded += chunk.byteLength;
    started.options.onProgress?.({ loaded, total: started.first?.size });
    yield chunk;
  }
}

/** Yields the bytes of a file. After an interruption, it continues with a new link, if the file is still the same. */
async function* readToEnd(started: Download) {
  const { budget } = started;
  for (;;) {
    const url = await started.createLink();
    try {
      const part = await openLink(started, url);
      started.first ??= part;
      for await (const chunk of part.chunks) {
        // A long download may be interrupted many times.
        budget.resetRetries();
        started.loaded += chunk.byteLength;
        yield chunk;
      }
      return;
    } catch (error) {
      const { first, loaded } = started;
      if (loaded === first?.size && isBerthError(error) && error.retryable) return;
      if (loaded === 0) started.first = undefined;
      // Without an `ETag`, the rest could be that of another file.
      else if (first?.etag === undefined) throw error;
      await budget.waitForRetry(error);
    }
  }
}

/** The number of bytes that the response has, and that of the file. */
type Sizes = Readonly<Record<'size' | 'total', number | undefined>>;

/** A file, or a part of one, whose bytes are not read yet. */
interface Part extends Sizes {
  readonly response: Response;
  /** The strong `ETag`, if the download can continue after an interruption. */
  readonly etag: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array<ArrayBuffer>>;
  stop(): void;
}

/** Opens a link to the bytes that are still to be read. */
async function openLink(started: Download, url: string): Promise<Part> {
  const { context, options, budget, summary, first, loaded } = started;
  const { idle = context.transferLimits.idle } = options;
  const { offset = 0, length } = options.range ?? {};
  const rest = { offset: offset + loaded, length: length && length - loaded };
  const range = first ? rest : options.range;
  const watch = watchIdle(idle, budget.signal, summary, { url });
  try {
    const response = await fetchLink(started, url, watch, range);
    const sizes = checkPart(started, url, response, range);
    // A page cannot see whether the body was compressed, and its browser checks the length of an entire file itself.
    const size = isPage() && !range ? undefined : sizes.size;
    const chunks = readChunks(response, watch, size);
    return { ...sizes, response, etag: strongETag(response), chunks, stop: watch.stop };
  } catch (error) {
    watch.stop();
    throw error;
  }
}

/** Fetches a link, which may redirect (D23). The link itself authorizes the download, so no credentials are sent. */
function fetchLink(started: Download, url: string, watch: IdleWatch, range?: DownloadRange) {
  const { context, budget, first } = started;
  const { platformFetch = globalThis.fetch, transferLimits } = context;
  const headers: Record<string, string> = {};
  if (range) {
    const { offset, length } = range;
    headers.range = `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`;
  }
  if (first?.etag) headers['if-range'] = first.etag;
  const sender = createSender({
    limits: transferLimits,
    classify: ({ status }) => retryOfStorage(status),
    // Only attempts are watched, not the waits between them.
    fetch(link, init) {
      watch.restart();
      return platformFetch(link, init).finally(watch.pause);
    },
  });
  const sending = sender.send({ url }, { headers }, { ...budget, signal: watch.signal });
  // A `fetch` may ignore the signal.
  return untilAborted(sending, watch.signal);
}

/** Checks that a response is the requested part, and of the same file as the first part. */
function checkPart(started: Download, url: string, response: Response, range?: DownloadRange) {
  const { first, summary } = started;
  const sizes = readSizes(response, range);
  const isOtherETag = first && strongETag(response) !== first.etag;
  const isOtherSize = sizes?.total && first?.total && sizes.total !== first.total;
  if (sizes && !isOtherETag && !isOtherSize) return sizes;
  const problem = first
    ? 'the file changed during the download'
    : 'the response is not the requested part';
  const reason = response.ok && range ? problem : undefined;
  const retryable = retryOfStorage(response.status) !== 'never';
  throw new BerthError('storage', summary, { info: { url }, response, reason, retryable });
}

/** Equal weak ETags do not guarantee the same bytes (RFC 9110, section 8.8.1). */
function strongETag({ headers }: Response): string | undefined {
  const etag = headers.get('ETag');
  return etag?.startsWith('"') && !headers.has('Content-Encoding') ? etag : undefined;
}

/** Returns the sizes of a file, or of the requested part of one; `undefined` for any other response. */
function readSizes({ status, headers }: Response, range?: DownloadRange): Sizes | undefined {
  const isCompressed = headers.has('Content-Encoding');
  if (!range) {
    // Any other success has no body, or only part of it.
    if (status !== 200 && status !== 203) return undefined;
    const length = headers.get('Content-Length');
    const size = length === null || isCompressed ? undefined : Number(length);
    return { size, total: size };
  }
  // RFC 9110, section 14.4. An unknown size is `*`.
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(headers.get('Content-Range') ?? '');
  // Part of a compressed body cannot be decoded separately.
  if (status !== 206 || isCompressed || !match) return undefined;
  const [, from = 0, to = 0, total = 0] = match.map(Number);
  const { offset, length = Number.POSITIVE_INFINITY } = range;
  const end = offset + length - 1;
  const isEnd = total ? to === Math.min(end, total - 1) : to <= end;
  if (from !== offset || from > to || !isEnd) return undefined;
  return { size: to - from + 1, total: total || undefined };
}

/** Reads a body. Ends with an error if it is interrupted, has the wrong length, or makes no progress. */
async function* readChunks(response: Response, watch: IdleWatch, size: number | undefined) {
  const wrongLength = () => watch.toNetworkError('The response has the wrong length.');
  let loaded = 0;
  try {
    for await (const chunk of readBody(response, watch)) {
      loaded += chunk.byteLength;
      if (size !== undefined && loaded > size) throw wrongLength();
      yield chunk;
    }
    if (size !== undefined && loaded < size) throw wrongLength();
  } finally {
    watch.stop();
  }
}

/** Returns a stream that is read only as fast as its reader asks, and that can be canceled during a read. */
function toBody(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>, cancel: () => void) {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { value } = await chunks.next();
    if (value) controller.enqueue(value);
    else controller.close();
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>({ pull, cancel }, { highWaterMark: 0 });
}
