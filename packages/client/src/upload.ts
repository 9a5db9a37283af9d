import type { WireProfile } from '@berth/spec/wire-profile';
import { fileSize, sendForm } from '#platform';
import { assertUnread, isArrayBuffer, isStream, toBytes } from './body.ts';
import { BerthError, invalid, isBerthError, networkError } from './errors.ts';
import { checkRetry, delayAfter, pause, withLimit } from './fetch.ts';
import type { components } from './generated/storage.v2.gen.ts';
import {
  checkInteger,
  isRecord,
  isTemporary,
  type StorageCallOptions,
  type StorageContext,
  type StorageResponse,
} from './storage-call.ts';
import { checkIdle, type TransferOptions, toReport, watchIdle } from './transfer.ts';
import {
  checkLength,
  type UploadContent,
  type UploadData,
  type UploadForm,
  type UploadResponse,
} from './upload-form.ts';
import { isFetchable } from './urls.ts';

type Field = keyof components['schemas']['UploadForm'];

/** Fields that wire profiles do not rename. "`file` is the last field: what comes after it is ignored." */
const SIGNATURE = 'Signature' satisfies Field;
const KEY = 'key' satisfies Field;
const FILE = 'file' satisfies Field;

/**
 * Options for an upload. `timeout` limits all attempts together; by default, only `idle` is limited.
 *
 * @example
 * await storage.upload('video.mp4', stream, {
 *   contentType: 'video/mp4',
 *   size: 12_345_678,
 *   onProgress: ({ loaded, total }) => showBar(loaded, total),
 * });
 */
export interface UploadOptions extends StorageCallOptions, TransferOptions {
  /** Media type of the file. Default: the type of the `Blob`, or `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /**
   * Size of a stream in bytes, if you know it. It is sent as `Content-Length`, which many object stores require, and
   * the upload fails if the stream has another size. Default: the stream is sent in chunks.
   */
  readonly size?: number | undefined;
  /**
   * Maximum size in bytes. Larger content is rejected, if possible before anything is sent. Set it for streams from
   * untrusted sources, because browsers collect a stream in memory. Default: no limit.
   */
  readonly maxBytes?: number | undefined;
}

/** The stored file. */
export interface UploadResult {
  /** ID of the file, which other methods take. */
  readonly fileID: string;
}

/** Uploads a file in two steps, again with a new grant if an attempt fails and may succeed later. */
export async function upload(
  context: StorageContext,
  path: string,
  data: UploadData,
  options: UploadOptions = {},
): Promise<UploadResult> {
  ignoreEarlyErrors(data);
  if (typeof path !== 'string') throw invalid('path', 'a string', path);
  // "Cloud path of the file, including the file name."
  if (!path) throw new BerthError('options', 'path must not be empty.');
  const { signal, timeout = context.timeout ?? 0 } = options;
  const idle = checkIdle(options.idle, context.idle);
  signal?.throwIfAborted();
  const content = await toContent(data, options);
  // A stream can be read only once.
  const retry = content.isReplayable && checkRetry(options.retry, context.retry);
  const report = toReport(options.onProgress, content.size);
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  const { fetch, agent } = context;
  const form = { fileField: FILE, fileName, content, report, idle, fetch, agent };
  const what = `${path} was not uploaded`;

  return withLimit({ signal, timeout }, { method: 'POST', url: path }, async (limit) => {
    const call = { timeout: options.timeout, retry: options.retry, signal: limit.signal };
    for (let count = 1; ; count += 1) {
      const response = await context.call('getUploadMetaData', { path }, what, call);
      const grant = toGrant(response, path, context.wireProfile, what);
      let headers: Headers | undefined;
      try {
        const target = await send({ ...form, ...grant }, what, limit.signal);
        headers = target.headers;
        checkStored(target, grant, what);
        return { fileID: grant.fileID };
      } catch (error) {
        limit.signal.throwIfAborted();
        // Safe even if the file was stored after all: the same bytes replace it.
        const mayPass = isBerthError(error) && error.retryable;
        const delay = mayPass ? delayAfter(count, retry, headers, limit.left()) : undefined;
        if (delay === undefined) throw error;
        await pause(delay, limit.signal);
      }
    }
  });
}

/**
 * Keeps a Node stream that fails before it is read from ending the process. Reading it then fails with the same error.
 */
function ignoreEarlyErrors(data: unknown): void {
  if (typeof data === 'object' && data && 'on' in data) {
    (data as { on(event: 'error', listener: () => void): void }).on('error', () => {});
  }
}

/**
 * Looks at the content without reading it.
 *
 * @throws BerthError of the kind `options` if it cannot be uploaded, or has the wrong size
 */
async function toContent(
  input: UploadData,
  { contentType, size: expected, maxBytes = Number.POSITIVE_INFINITY }: UploadOptions,
): Promise<UploadContent> {
  checkInteger('size', expected, 0);
  let data: UploadContent['data'];
  let actual: number | undefined;
  if (typeof input === 'string') data = new TextEncoder().encode(input);
  else if (isArrayBuffer(input) || ArrayBuffer.isView(input)) data = toBytes(input);
  else data = input;
  if (ArrayBuffer.isView(data)) actual = data.byteLength;
  else if (data instanceof Blob) actual = data.size;
  else if (isStream(data)) assertUnread(data);
  else if (isRecord(data) && data.file) actual = await fileSize(data.file as string);
  else throw invalid('data', 'text, bytes, a Blob, a stream or { file }', data);
  const size = actual ?? expected;
  if (size !== undefined) checkLength({ size: expected, maxBytes }, size, true);
  const type = contentType ?? ((data instanceof Blob && data.type) || 'application/octet-stream');
  return { data, size, maxBytes, type, isReplayable: actual !== undefined };
}

/** The grant for one attempt. Everything except `fileID` is secret. */
interface Grant extends Pick<UploadForm, 'url' | 'fields'> {
  readonly method: 'POST';
  readonly fileID: string;
}

/**
 * Reads the grant from the response of `getUploadMetaData`, field by field, so that no form is ever posted to the URL
 * `undefined`.
 *
 * @throws BerthError of the kind `storage`, which names the first field that is missing or invalid
 */
function toGrant(
  response: StorageResponse,
  path: string,
  { uploadFields, storeFileID }: WireProfile,
  what: string,
): Grant {
  const read = (field: string): string => {
    const value = response.data[field];
    if (value && typeof value === 'string' && (field !== 'url' || isFetchable(value))) return value;
    throw response.toError(what, { message: `the response has no valid ${field}` });
  };
  const url = read('url');
  const token = read('token');
  const fields = [
    [SIGNATURE, read('authorization')],
    [uploadFields.securityToken, token],
    [uploadFields.metaFileId, read(storeFileID)],
    [KEY, path],
  ] as const;
  return { method: 'POST', url, fileID: read('fileID'), fields };
}

/** Posts the form once. What a function or a stream of the caller throws is thrown as it is. */
async function send(
  form: Omit<UploadForm, 'watch' | 'toError'> & Grant,
  what: string,
  signal: AbortSignal,
): Promise<UploadResponse> {
  signal.throwIfAborted();
  const watch = watchIdle(form.idle, signal, what, form);
  const aborted = new Promise<never>((_, reject) => {
    watch.signal.addEventListener('abort', () => reject(watch.signal.reason));
  });
  const toError = (cause: unknown) => networkError(what, form, cause);
  watch.restart();
  try {
    return await Promise.race([sendForm({ ...form, watch, toError }), aborted]);
  } finally {
    watch.stop();
  }
}

/**
 * Checks the response of an upload target. A status other than 2xx is an error, and so is an XML `Error` element with
 * any status ("A success carries no such element").
 *
 * @throws BerthError of the kind `upload`
 */
function checkStored(
  { status, text, headers }: UploadResponse,
  { method, url }: Grant,
  what: string,
): void {
  const error = readXmlError(text);
  if (!error && status >= 200 && status < 300) return;
  const read = (name: (typeof CHILDREN)[number]) => error?.get(name)?.trim() || undefined;
  throw new BerthError('upload', what, {
    method,
    url,
    status,
    code: read('Code'),
    reason: read('Message'),
    requestId: read('RequestId') ?? headers.get('X-Request-Id') ?? undefined,
    retryable: isTemporary(status),
  });
}

/** Child elements of `Error` that object stores commonly send. The contract guarantees none of them. */
const CHILDREN = [
  'Code',
  'Message',
  'RequestId',
] as const satisfies readonly (keyof components['schemas']['UploadError'])[];

const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Reads the first `Error` element of a response, even if the document is cut off inside it. This is the only XML that
 * the client reads: Node has no parser, and a library would be larger than this package. Prefixes and attributes are
 * ignored. Document types are not read, so no entity can be expanded.
 *
 * @returns the text of its child elements by name, or `undefined` if there is no such element
 */
function readXmlError(xml: string): ReadonlyMap<string, string> | undefined {
  let children: Map<string, string> | undefined;
  let child: string | undefined;
  const append = (text: string) => {
    if (children && child) children.set(child, (children.get(child) ?? '') + text);
  };
  for (let at = 0; at < xml.length; ) {
    const endOf = (mark: string, start: number) => {
      const end = xml.indexOf(mark, start);
      return end < 0 ? xml.length : end;
    };
    if (xml.startsWith('<!--', at)) {
      at = endOf('-->', at) + 3;
    } else if (xml.startsWith('<![CDATA[', at)) {
      const end = endOf(']]>', at);
      append(xml.slice(at + 9, end));
      at = end + 3;
    } else if (xml[at] === '<') {
      const end = endOf('>', at);
      const tag = xml.slice(at + 1, end);
      const isClosing = tag.startsWith('/');
      const name = tag.slice(Number(isClosing)).split(/[\s/]/, 1)[0]?.replace(/^.*:/, '') ?? '';
      at = end + 1;
      if (at > xml.length) break;
      if (!children) {
        if (name === 'Error' && !isClosing) children = new Map();
        if (children && tag.endsWith('/')) break;
      } else if (isClosing && name === 'Error') {
        break;
      } else if (isClosing) {
        if (name === child) child = undefined;
      } else if (CHILDREN.some((known) => known === name) && !children.has(name)) {
        child = tag.endsWith('/') ? undefined : name;
      }
    } else {
      const end = endOf('<', at);
      append(decode(xml.slice(at, end)));
      at = end;
    }
  }
  return children;
}

/** Decodes each reference once, so that `&amp;lt;` becomes the text `&lt;`. */
function decode(text: string): string {
  return text.replace(/&(#x?[\da-f]+|[a-z]+);/gi, (reference, name: string) => {
    if (!name.startsWith('#')) return ENTITIES.get(name) ?? reference;
    const point = Number(name.slice(1).replace(/^x/i, '0x'));
    return point <= 0x10ffff ? String.fromCodePoint(point) : reference;
  });
}
