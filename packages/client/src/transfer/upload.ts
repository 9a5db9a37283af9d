import type { WireProfile } from '@berth/spec/wire-profile';
import { fileSize, sendForm } from '#platform';
import { untilAborted, withBudget } from '../budget.ts';
import type { StorageCallOptions, TransferOptions } from '../call-options.ts';
import { checkNotEmpty, checkNumber, invalid, typeTag } from '../checks.ts';
import type { StorageContext } from '../context.ts';
import type { StorageResponse } from '../envelope.ts';
import { BerthError } from '../errors.ts';
import { watchIdle } from '../idle.ts';
import { retryOfStorage } from '../retry-rules.ts';
import { assertUnread, isStream } from '../streams.ts';
import { parseUrl } from '../urls.ts';
import type { Field, UploadContent, UploadData, UploadForm, UploadResponse } from './form.ts';
import { checkLength } from './form.ts';

/** Options for an upload. `timeout` limits all attempts together; by default, only `idle` is limited. */
export interface UploadOptions extends StorageCallOptions, TransferOptions {
  /** Media type of the file. Default: the type of the `Blob`, or `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /**
   * Size of a stream in bytes, if you know it. It is sent as `Content-Length`, which many object stores require, and
   * the upload fails if the stream has another size. Default: the stream is sent in chunks.
   */
  readonly size?: number | undefined;
}

/** The stored file. */
export interface UploadResult {
  /** ID of the file, which other methods take. */
  readonly fileID: string;
}

export async function upload(
  context: StorageContext,
  path: string,
  data: UploadData,
  options: UploadOptions = {},
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<UploadResult> {
  checkNotEmpty('path', path);
  const { transferLimits, wireProfile } = context;
  const { signal, onProgress, idle = transferLimits.idle } = options;
  checkNumber('idle', idle, 0);
  signal?.throwIfAborted();
  const content = await toContent(data, options, maxBytes);
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  const summary = `${path} was not uploaded`;
  // Idempotent: if a failed form was stored after all, the same bytes replace it.
  const call = { ...options, body: content.data, summary: `${summary}:`, idempotent: true };

  return withBudget(call, transferLimits, undefined, async (budget) => {
    let isReporting = false;
    const report: UploadForm['report'] =
      onProgress &&
      ((loaded) => {
        isReporting = true;
        onProgress({ loaded, total: content.size });
        isReporting = false;
      });
    // The call for a grant has its own budget.
    const init = { ...options, signal: budget.signal };
    for (;;) {
      const response = await context.callOperation('getUploadMetaData', { path }, summary, init);
      const { url, fields, fileID } = toGrant(response, path, wireProfile, summary);
      const watch = watchIdle(idle, budget.signal, summary, { method: 'POST', url });
      let headers: Headers | undefined;
      try {
        const form = { url, fields, fileName, content, watch, report, context };
        const stored = await untilAborted(sendForm(form), watch.signal).finally(watch.stop);
        headers = stored.headers;
        assertStored(stored, url, summary);
        if (stored.earlyError) throw stored.earlyError;
        return { fileID };
      } catch (error) {
        // What `onProgress` throws is never retried.
        if (isReporting) throw error;
        await budget.waitForRetry(error, headers);
      }
    }
  });
}

/** Determines type and size of the content, without reading it. */
async function toContent(input: UploadData, options: UploadOptions, maxBytes: number) {
  const { contentType, size: expected } = options;
  checkNumber('size', expected, 0, 'an integer');
  // By name, because `instanceof` fails for values of another realm.
  const blob = /^(Blob|File)$/.test(typeTag(input)) ? (input as Blob) : undefined;
  let data: UploadContent['data'];
  let actual: number | undefined;
  if (typeof input === 'string') data = new TextEncoder().encode(input);
  else if (ArrayBuffer.isView(input)) {
    // Bytes of this realm, which are not copied.
    data = new Uint8Array(input.buffer as ArrayBuffer, input.byteOffset, input.byteLength);
  } else if (typeTag(input) === 'ArrayBuffer') data = new Uint8Array(input as ArrayBuffer);
  else data = input as Exclude<typeof input, ArrayBuffer | Blob>;
  if (ArrayBuffer.isView(data)) actual = data.byteLength;
  else if (blob) actual = blob.size;
  else if (isStream(data)) assertUnread(data);
  else if (data?.file) actual = await fileSize(data.file);
  else throw invalid('data', 'text, bytes, a Blob, a stream or { file }', data);
  const type = contentType ?? (blob?.type || 'application/octet-stream');
  const size = actual ?? expected;
  if (size !== undefined) checkLength({ size: expected, maxBytes }, size, true);
  return { data, size, maxBytes, type };
}

/**
 * Reads the grant for one attempt from the response of `getUploadMetaData`, field by field, so that no form is ever
 * posted to the URL `undefined`. Everything except `fileID` is secret.
 */
function toGrant(
  { data, toStorageError }: StorageResponse,
  path: string,
  { uploadFields, storeFileID }: WireProfile,
  summary: string,
) {
  const readField = (name: string): string => {
    const value = data[name];
    if (value && typeof value === 'string' && (name !== 'url' || parseUrl(value))) return value;
    throw toStorageError(summary, { message: `the response has no valid ${name}` });
  };
  const url = readField('url');
  const fields = [
    ['Signature' satisfies Field, readField('authorization')],
    [uploadFields.securityToken, readField('token')],
    [uploadFields.metaFileId, readField(storeFileID)],
    ['key' satisfies Field, path],
  ] as const;
  return { url, fields, fileID: readField('fileID') };
}

/**
 * Checks the response of an upload target. A status other than 2xx is an error, and so is an XML `Error` element with
 * any status.
 */
function assertStored(response: UploadResponse, url: string, summary: string): void {
  const { status, text } = response;
  // An `Error` in a comment or CDATA section is not an element.
  const xml = text.replace(/<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)/gs, '<!>');
  const isError = /<(?:[\w-]+:)?Error(?:\s[^<>]*)?\/?>/.test(xml);
  if (!isError && status >= 200 && status < 300) return;
  // The contract guarantees no child element, so these are read only if they are plain text.
  const readElement = (name: string) =>
    new RegExp(`<(?:[\\w-]+:)?${name}(?:\\s[^<>]*)?>([^<]*)</`).exec(xml)?.[1]?.trim() || undefined;
  const code = readElement('Code');
  throw new BerthError('upload', summary, {
    info: { method: 'POST', url },
    response,
    code,
    reason: readElement('Message'),
    requestId: readElement('RequestId'),
    retryable: retryOfStorage(status, code) !== 'never',
  });
}
