import { fileSize, ignoreEarlyErrors, toSizedContent } from '#platform';
import { sendForm } from '#send-form';
import { BerthError } from '../errors.ts';
import type { components } from '../generated/storage.v2.gen.ts';
import { openDeadline } from '../internal/deadline.ts';
import { transferFailure } from '../internal/failures.ts';
import {
  assertInteger,
  isRecord,
  mergeRetry,
  mergeTimeouts,
  type Progress,
  toReport,
} from '../internal/options.ts';
import { platformFetch, retryDelay, runTries } from '../internal/pipeline.ts';
import type { StorageCallOptions, StorageContext } from '../internal/storage.ts';
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

/** Maximum time without progress, in milliseconds. */
const IDLE = 65_000;

/**
 * Options for an upload. In `timeouts`, `perTry` limits the time without progress, including the time to
 * connect, and `total` is unlimited by default. A stream is never sent twice, whatever `retry` is.
 *
 * @example
 * await storage.upload('video.mp4', stream, {
 *   contentType: 'video/mp4',
 *   size: 12_345_678,
 *   onProgress: ({ loaded, total }) => showBar(loaded, total),
 * });
 */
export interface UploadOptions extends StorageCallOptions {
  /** Media type of the file. Default: the type of the `Blob`, or `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /**
   * Size of a stream in bytes, if you know it. It is sent as `Content-Length`, which many object stores
   * require, and the upload fails if the stream has another size. Default: the stream is sent in chunks.
   */
  readonly size?: number | undefined;
  /**
   * Maximum size in bytes. Larger content is rejected, if possible before anything is sent. Set it for
   * streams from untrusted sources, because browsers buffer a stream in memory. Default: no limit.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Called with the number of bytes sent so far. If it throws, the upload is aborted. With your own
   * `fetch`, and on platforms without `XMLHttpRequest` other than Node, it is only called at
   * the beginning and at the end.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The stored file, as `upload` returns it. */
export interface UploadResult {
  /** ID of the stored file, which other methods take. */
  readonly fileID: string;
}

/** Uploads one file in two steps, as the contract requires. Each attempt requests its own grant. */
export async function upload(
  context: StorageContext,
  path: string,
  data: UploadData,
  options: UploadOptions = {},
): Promise<UploadResult> {
  ignoreEarlyErrors(data);
  // "Cloud path of the file, including the file name."
  if (!path) throw new TypeError('path must not be empty.');
  options.signal?.throwIfAborted();
  const content = await toContent(data, options);
  const { fetch = platformFetch, agent } = context;
  const { total = 0, perTry: idle = IDLE } = mergeTimeouts(context.timeouts, options.timeouts);
  // A stream can be read only once.
  const retry = content.isReplayable && mergeRetry(context.retry, options.retry);
  const report = toReport(options.onProgress, content.size);
  const what = `${path} was not uploaded`;
  const deadline = context.links.open({
    ...options,
    method: 'POST',
    url: path,
    // A long upload that makes progress is not slow, so the sender checks `perTry`.
    timeouts: { total, perTry: 0 },
  });
  return runTries(deadline, async (attempt) => {
    const grant = await deadline.step(async ({ signal }) => {
      const own = { ...options, signal: signal() };
      const response = await context.call('getUploadMetaData', { path }, what, own);
      return toGrant(response, path, context.wireProfile, what);
    });
    let response: UploadResponse | undefined;
    try {
      const fail = (cause?: unknown) => transferFailure(grant, what, idle, cause);
      const send = context.fetch ? sendWithFetch : sendForm;
      const fileName = path.slice(path.lastIndexOf('/') + 1);
      const form = {
        ...grant,
        fileField: FILE,
        fileName,
        content,
        report,
        idle,
        fail,
        fetch,
        agent,
      };
      response = await deadline.step(({ signal }) =>
        openDeadline(signal(), { perTry: idle }, () => fail()).step((limits) =>
          send({ ...form, limits }),
        ),
      );
      assertStored(response, grant, what);
      return { result: { fileID: grant.fileID } };
    } catch (error) {
      // Safe to retry: sending the same bytes to the same key replaces a file that was stored after all.
      // A refusal means that nothing was stored (D30), and these statuses mean that it may be temporary.
      const { status = 500, headers } = response ?? {};
      const isOfTry = error instanceof BerthError && error.status === response?.status;
      const mayPass = isOfTry && (status >= 500 || status === 429);
      const delay = mayPass ? retryDelay(retry, attempt, headers, deadline.left()) : undefined;
      if (delay === undefined) throw error;
      return { delay };
    }
  });
}

interface ContentOptions {
  readonly contentType?: string | undefined;
  readonly size?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/**
 * Inspects the content without reading it.
 *
 * @throws TypeError if it cannot be uploaded, or is a stream that has already been read
 * @throws RangeError if it is larger than `maxBytes`, or `size` is not its size
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
    throw new TypeError('data must be a Blob, bytes, a string, a stream or { file }.');
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
