import type { WireProfile } from '@berth/spec/wire-profile';
import { fileSize, ignoreEarlyErrors, toSizedContent } from '#platform';
import { sendForm } from '#send-form';
import { BerthError, UploadError } from '../errors.ts';
import type { components } from '../generated/storage.v2.gen.ts';
import { openDeadline } from '../internal/deadline.ts';
import {
  describeResponse,
  type RememberedCall,
  rememberCall,
  transferFailure,
} from '../internal/failures.ts';
import {
  assertInteger,
  isRecord,
  mergeRetry,
  mergeTimeouts,
  type Progress,
  toReport,
} from '../internal/options.ts';
import { platformFetch, retryDelay, runTries } from '../internal/pipeline.ts';
import type { StorageCallOptions, StorageContext, StorageResponse } from '../internal/storage.ts';
import { assertUnread, isArrayBuffer, isStream } from '../internal/to-body.ts';
import { isFetchable } from '../internal/urls.ts';
import { sendWithFetch } from '../platform/form-data.ts';
import {
  assertLength,
  type FileSource,
  type UploadContent,
  type UploadData,
  type UploadForm,
  type UploadResponse,
} from '../platform/upload-form.ts';

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

type Field = keyof components['schemas']['UploadForm'];

/** A field that wire profiles do not rename. */
const SIGNATURE = 'Signature' satisfies Field;

const KEY = 'key' satisfies Field;

/** Child elements of `Error` that object stores commonly send. The contract guarantees none of them. */
const CHILDREN = [
  'Code',
  'Message',
  'RequestId',
] as const satisfies readonly (keyof components['schemas']['UploadError'])[];

const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The grant for the second step of an upload. Everything except `fileID` is secret. */
interface UploadGrant extends Pick<UploadForm, 'url' | 'fields'>, RememberedCall {
  readonly url: string;
  readonly fileID: string;
}

/**
 * Reads the grant from a `getUploadMetaData` response, and checks it field by field, so that no form is ever
 * posted to the URL `undefined`.
 *
 * @throws StorageError naming the first missing or invalid field
 */
function toGrant(
  response: StorageResponse,
  path: string,
  { uploadFields, storeFileID }: WireProfile,
  what: string,
): UploadGrant {
  const read = (field: string): string => {
    const value = response.data[field];
    if (value && typeof value === 'string' && (field !== 'url' || isFetchable(value))) return value;
    throw response.fail(what, { message: `the response has no valid ${field}` });
  };
  const url = read('url');
  const token = read('token');
  const authorization = read('authorization');
  return {
    method: 'POST',
    url,
    fileID: read('fileID'),
    fields: [
      [SIGNATURE, authorization],
      [uploadFields.securityToken, token],
      [uploadFields.metaFileId, read(storeFileID)],
      [KEY, path],
    ],
  };
}

/**
 * Checks an upload target's response. An XML `Error` element means that the upload failed, even with status
 * 200: "A success carries no such element". Any status other than 2xx is a failure too.
 *
 * @throws UploadError if nothing was stored
 */
function assertStored(response: UploadResponse, grant: UploadGrant, what: string): void {
  const { status, text } = response;
  const error = readXmlError(text);
  if (!error && status >= 200 && status < 300) return;
  const { Code: code, Message: message, RequestId: requestId } = error ?? {};
  throw new UploadError(
    describeResponse(rememberCall(response, grant), what, { code, message, requestId }),
  );
}

/** The text of the known child elements; `undefined` for a missing one. */
type XmlError = Partial<Record<(typeof CHILDREN)[number], string>>;

/**
 * Reads the `Error` element of an upload target's response. This is the only XML that the client reads.
 * Node has no XML parser, and a library would be larger than the entire client. Respects comments and
 * CDATA, ignores prefixes and attributes, and decodes the five named entities and numeric references.
 * Does not read document types, so entities cannot be expanded.
 *
 * @returns the text of the child elements, or `undefined` if there is no `Error` element
 */
function readXmlError(text: string): XmlError | undefined {
  const error = contentOf(withoutSections(text), 'Error');
  if (error === undefined) return undefined;
  return Object.fromEntries(
    CHILDREN.map((name) => [name, decode((contentOf(error, name) ?? '').trim()) || undefined]),
  );
}

/** Drops comments and turns CDATA into ordinary text, so that tags in them do not count. */
function withoutSections(xml: string): string {
  return xml.replace(
    /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g,
    (_, data: string | undefined) => (data ?? '').replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  );
}

/** Returns the content of the first element with a name, even if the document is cut off inside it. */
function contentOf(xml: string, name: string): string | undefined {
  const tag = `(?:[\\w.-]+:)?${name}`;
  const found = new RegExp(`<${tag}(?:\\s[^<>]*?)?(?:/>|>([^]*?)(?:</${tag}\\s*>|$))`).exec(xml);
  return found ? (found[1] ?? '') : undefined;
}

/** Decodes each reference once, so that `&amp;lt;` becomes the text `&lt;`. */
function decode(text: string): string {
  return text.replace(
    /&(?:#(x?[\da-f]+)|(lt|gt|amp|quot|apos));/gi,
    (reference, number: string | undefined, name: string) => {
      if (!number) return NAMED[name.toLowerCase()] ?? reference;
      const point = Number(number.replace(/^x/i, '0x'));
      return point <= 0x10ffff ? String.fromCodePoint(point) : reference;
    },
  );
}
