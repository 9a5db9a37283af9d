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

export async function download(
  context: StorageContext,
  { tempUrl }: FileMethods,
  fileID: string,
  options: DownloadOptions = {},
): Promise<Response> {
  checkOptions(options);
  return withBudget(options, context.transferLimits, toSummary(fileID), async (budget) => {
    // The call for a link has attempts and a time limit of its own, here and below.
    const url = await tempUrl(fileID, { ...options, signal: budget.signal });
    return (await openLink(context, fileID, url, options, budget)).response;
  });
}

export async function downloadToFile(
  context: StorageContext,
  files: FileMethods,
  fileID: string,
  file: string | URL,
  options: DownloadOptions = {},
): Promise<void> {
  checkOptions(options);
  let saving: Promise<void> | undefined;
  await withBudget(options, context.transferLimits, toSummary(fileID), (budget) => {
    saving = saveFile(readToEnd(context, files, fileID, options, budget), file);
    return saving;
  }).catch(async (error) => {
    // When the call ends, either the file is complete, or its temporary file is gone.
    if (!saving) throw error;
    await saving.catch(() => {
      throw error;
    });
  });
}

/** Yields the bytes of a file. After an interruption, it continues with a new link, if the file is still the same. */
async function* readToEnd(
  context: StorageContext,
  { tempUrl }: FileMethods,
  fileID: string,
  init: DownloadOptions,
  budget: CallBudget,
) {
  const { onProgress, ...options } = init;
  const { offset = 0, length } = options.range ?? {};
  /** The response with the first bytes. */
  let start: OpenFile | undefined;
  let loaded = 0;
  for (;;) {
    const url = await tempUrl(fileID, { ...options, signal: budget.signal });
    const rest = { offset: offset + loaded, length: length && length - loaded };
    const range = start ? rest : options.range;
    try {
      const part = await openLink(context, fileID, url, { ...options, range }, budget, start);
      start ??= part;
      for await (const chunk of part.response.body ?? []) {
        // A long download may be interrupted many times.
        budget.resetRetries();
        loaded += chunk.byteLength;
        onProgress?.({ loaded, total: start.size });
        yield chunk;
      }
      return;
    } catch (error) {
      if (loaded === start?.size && isBerthError(error) && error.retryable) return;
      if (loaded === 0) start = undefined;
      // Without an `ETag`, the rest could be that of another file.
      else if (start?.etag === undefined) throw error;
      await budget.waitForRetry(error);
    }
  }
}

interface OpenFile extends Sizes {
  readonly response: Response;
  /** The strong `ETag`, if the download can continue after an interruption. */
  readonly etag: string | undefined;
}

/** The number of bytes that the response has, and that of the file. */
type Sizes = Readonly<Record<'size' | 'total', number | undefined>>;

const toSummary = (fileID: string) => `${fileID} was not downloaded`;

function checkOptions({ range, idle }: DownloadOptions): void {
  checkNumber('range.offset', range?.offset, 0, 'an integer');
  checkNumber('range.length', range?.length, 1, 'an integer');
  checkNumber('idle', idle, 0);
}

/**
 * Fetches a link, which may redirect (D23). The link itself authorizes the download, so no credentials are sent.
 *
 * @param start the download that this one continues
 */
async function openLink(
  context: StorageContext,
  fileID: string,
  url: string,
  options: DownloadOptions,
  budget: CallBudget,
  start?: OpenFile,
): Promise<OpenFile> {
  const { platformFetch = globalThis.fetch, transferLimits } = context;
  const { range, onProgress, idle = transferLimits.idle } = options;
  const info = { url };
  const summary = toSummary(fileID);
  const watch = watchIdle(idle, budget.signal, summary, info);
  const headers: Record<string, string> = {};
  if (range) {
    const { offset, length } = range;
    headers.range = `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`;
  }
  if (start?.etag) headers['if-range'] = start.etag;
  const sender = createSender({
    limits: transferLimits,
    classify: ({ status }) => retryOfStorage(status),
    // Only attempts are watched, not the waits between them.
    fetch(link, init) {
      watch.restart();
      return platformFetch(link, init).finally(watch.pause);
    },
  });
  try {
    const sending = sender.send(info, { headers }, { ...budget, signal: watch.signal });
    // A `fetch` may ignore the signal.
    const response = await untilAborted(sending, watch.signal);
    const sizes = readSizes(response, range);
    const etag = response.headers.get('ETag') ?? '';
    const isOtherSize = sizes?.total && start?.total && sizes.total !== start.total;
    const isChanged = start && (etag !== start.etag || isOtherSize);
    if (!sizes || isChanged) {
      const problem = start
        ? 'the file changed during the download'
        : 'the response is not the requested part';
      const reason = response.ok && range ? problem : undefined;
      const retryable = retryOfStorage(response.status) !== 'never';
      throw new BerthError('storage', summary, { info, response, reason, retryable });
    }
    const report = (loaded: number) => onProgress?.({ loaded, total: sizes.size });
    // A page cannot see whether the body was compressed, and its browser checks the length of an entire file itself.
    const size = isPage() && !range ? undefined : sizes.size;
    const body = watchBody(response, watch, size, report);
    // Equal weak ETags do not guarantee the same bytes (RFC 9110, section 8.8.1).
    const isStrong = etag.startsWith('"') && !response.headers.has('Content-Encoding');
    // Without its reason phrase, which a `Response` cannot be created with unless it is Latin-1.
    const watched = new Response(body, { status: response.status, headers: response.headers });
    return { ...sizes, response: watched, etag: isStrong ? etag : undefined };
  } catch (error) {
    watch.stop();
    throw error;
  }
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

/**
 * Returns a body that ends with an error if it is interrupted, has the wrong length, or makes no progress while its
 * reader waits. It is read only as fast as its reader asks.
 */
function watchBody(
  response: Response,
  watch: IdleWatch,
  size: number | undefined,
  report: (loaded: number) => void,
): ReadableStream<Uint8Array> {
  const chunks = readBody(response, watch);
  let loaded = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value } = await chunks.next();
          loaded += value?.byteLength ?? 0;
          if (size !== undefined && (value ? loaded > size : loaded < size)) {
            throw watch.toNetworkError('The response has the wrong length.');
          }
          if (value) {
            controller.enqueue(value);
            report(loaded);
          } else {
            controller.close();
            watch.stop();
          }
        } catch (error) {
          controller.error(error);
          watch.stop();
        }
      },
      cancel: watch.stop,
    },
    { highWaterMark: 0 },
  );
}
