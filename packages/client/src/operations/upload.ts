import { fileSize, ignoreEarlyErrors, toSizedContent } from '#platform';
import { sendForm } from '#send-form';
import { BerthError } from '../errors.ts';
import type { components } from '../generated/storage.v2.gen.ts';
import { pathOf, transferFailure } from '../internal/failures.ts';
import { isRecord } from '../internal/json.ts';
import {
  assertInteger,
  mergeRetry,
  mergeTimeouts,
  type Progress,
  toReport,
} from '../internal/options.ts';
import { platformFetch } from '../internal/pipeline/create-pipeline.ts';
import { retryDelay, runTries } from '../internal/pipeline/retries.ts';
import type { StorageCallOptions, StorageContext } from '../internal/storage-context.ts';
import { assertUnread, isArrayBuffer, isStream } from '../internal/to-body.ts';
import { sendWithFetch } from '../platform/form-data.ts';
import {
  assertLength,
  type FileSource,
  type UploadContent,
  type UploadData,
  type UploadResponse,
} from '../platform/upload-form.ts';
import { assertStored, toGrant } from './upload-target.ts';

/** "`file` is the last field: what comes after it is ignored." */
const FILE = 'file' satisfies keyof components['schemas']['UploadForm'];

/** Longest time in milliseconds in which nothing moves. */
const IDLE = 65_000;

/**
 * Options of an upload. Of its `timeouts`, `perTry` is the longest time in which nothing moves, until
 * a connection is made too, and `total` is without end by default. A stream is never sent twice, whatever `retry` says.
 *
 * @example
 * await storage.upload('video.mp4', stream, {
 *   contentType: 'video/mp4',
 *   size: 12_345_678,
 *   onProgress: ({ loaded, total }) => showBar(loaded, total),
 * });
 */
export interface UploadOptions extends StorageCallOptions {
  /** Media type of the file. Default: the type of a `Blob`, else `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /**
   * Length of a stream in bytes, where you know it: it is sent as `Content-Length`, which many object
   * stores need, and a stream of another length fails. Default: the stream is sent in chunks.
   */
  readonly size?: number | undefined;
  /**
   * Most bytes of the content. A longer one is refused, before anything is sent where its length is known. Give it where streams
   * come from strangers: browsers gather a stream in memory. Default: no limit.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Told how many bytes have been sent; an error of it ends the upload. Own `fetch`es tell the
   * beginning and the end only, and so do platforms without `XMLHttpRequest`, but Node and Workers.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** What an upload gives. */
export interface UploadResult {
  /** ID of the stored file, for links and deletion. */
  readonly fileID: string;
}

/** Uploads one file in the two steps of the contract, each try with a grant of its own. */
export async function upload(
  context: StorageContext,
  path: string,
  data: UploadData,
  options: UploadOptions = {},
): Promise<UploadResult> {
  ignoreEarlyErrors([{ data }]);
  // "Cloud path of the file, including the file name."
  if (!path) throw new TypeError('path is missing.');
  options.signal?.throwIfAborted();
  const content = await toContent(data, options);
  const { fetch = platformFetch, agent } = context;
  const { total = 0, perTry: idle = IDLE } = mergeTimeouts(context.timeouts, options.timeouts);
  // A stream can be read once only.
  const retry = content.isReplayable && mergeRetry(context.retry, options.retry);
  const report = toReport(options.onProgress, content.size);
  const what = `${path} was not uploaded`;
  const deadline = context.links.open({
    ...options,
    method: 'POST',
    url: path,
    // What moves is not slow, however long it takes: `perTry` is watched where the form is sent.
    timeouts: { total, perTry: 0 },
  });
  return runTries(deadline, context.hooks, async (attempt) => {
    const grant = await deadline.step(async ({ signal }) => {
      const own = { ...options, signal: signal() };
      const answer = await context.call('getUploadMetaData', { path }, what, own);
      return toGrant(answer, path, context.wireProfile, what);
    });
    let answer: UploadResponse | undefined;
    try {
      answer = await deadline.step(({ signal }) =>
        (context.fetch ? sendWithFetch : sendForm)({
          ...grant,
          fileField: FILE,
          fileName: path.slice(path.lastIndexOf('/') + 1),
          content,
          report,
          idle,
          signal: signal(),
          fail: (cause) => transferFailure(grant, what, idle, cause),
          fetch,
          agent,
        }),
      );
      assertStored(answer, grant, what);
      return { result: { fileID: grant.fileID } };
    } catch (error) {
      // Of the same bytes to the same key: a file that was stored after all is replaced by its like.
      // A refusal says that nothing was stored (D30); these statuses say that it may pass.
      const { status = 500, headers } = answer ?? {};
      const isOfTry = error instanceof BerthError && error.status === answer?.status;
      const mayPass = isOfTry && (status >= 500 || status === 429);
      const delay = mayPass ? retryDelay(retry, attempt, headers, deadline.left()) : undefined;
      if (delay === undefined) throw error;
      const event = { method: 'POST', path: pathOf(grant.url), headers: new Headers(), attempt };
      return { delay, reason: error as Error, event };
    }
  });
}

/** What the caller says of the content. */
interface ContentOptions {
  readonly contentType?: string | undefined;
  readonly size?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/**
 * Looks at a content without reading it.
 *
 * @throws TypeError where it is nothing that can be uploaded, or a stream that is spent
 * @throws RangeError where it is longer than `maxBytes`, or not as long as `size` says
 */
async function toContent(
  given: UploadData,
  { contentType, size: told, maxBytes = Number.POSITIVE_INFINITY }: ContentOptions,
): Promise<UploadContent> {
  const data = isInMemory(given) ? toSizedContent(given) : given;
  let size: number | undefined;
  if (data instanceof Blob) size = data.size;
  else if (ArrayBuffer.isView(data)) size = data.byteLength;
  else if (isRecord(data) && 'file' in data) size = await fileSize((data as FileSource).file);
  else if (!isStream(data)) {
    throw new TypeError('The content is no Blob, bytes, string, stream or { file }.');
  } else assertUnread(data);
  assertInteger('size', told, 0);
  const known = size ?? told;
  if (known !== undefined) assertLength({ size: told, maxBytes }, known, true);
  const type = contentType ?? ((data instanceof Blob && data.type) || 'application/octet-stream');
  return { data, size: known, maxBytes, type, isReplayable: size !== undefined };
}

function isInMemory(data: UploadData): data is string | ArrayBuffer | ArrayBufferView {
  return typeof data === 'string' || isArrayBuffer(data) || ArrayBuffer.isView(data);
}
