import type { Readable } from 'node:stream';
import type { WireProfile } from '@berth/spec/wire-profile';
import { rememberResource, toXml, UploadError, type UploadErrorCode } from './errors.ts';
import type { HandlerResponse } from './runtime/index.ts';

/** An upload. The grant in the form has not been verified: your handler must do that. */
export interface UploadInput {
  /** Path to write to, as in the form. */
  readonly key: string;
  /** Value of the `Signature` field, which is `authorization` in the upload metadata. */
  readonly signature: string;
  /** The `token` from the upload metadata. */
  readonly token: string;
  /** The `storeFileID` from the upload metadata. */
  readonly metaFileId: string;
  /**
   * Content of the file, with backpressure. The stream ends only when the form is complete, including
   * its closing boundary, and fails if the form is aborted or the file is too large. Write it to a
   * temporary name, and rename it once the stream has ended (D28).
   */
  readonly file: Readable;
  /** File name that the client sent, or an empty string. Do not use it as a path. */
  readonly filename: string;
  /** Media type that the client sent, in lowercase and without parameters. */
  readonly contentType: string;
  /** All fields before `file`, by lowercase name. */
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * The result of an upload. The status is 204, or the status that the form requests in
 * `success_action_status`. A 201 has an XML document with these values and the key.
 */
export interface UploadResult {
  /** Strong ETag of the content, such as its MD5 in hex. Quoted on the wire. */
  readonly etag: string;
  /** URL of the file. */
  readonly location: string;
  /** Name of the bucket that contains the file, for the document of a 201. Default: empty. */
  readonly bucket?: string;
}

/**
 * Returns whether a part of a form is the file. Field names are case-insensitive (D27). The name decides, and not
 * whether the part has a file name: `curl -F 'file=<a'` sends none.
 */
export function isFileField(name: string | undefined): boolean {
  return name?.toLowerCase() === 'file';
}

/** Adds a field before the file, which is the last field (D27). */
export function addField(fields: Map<string, string>, name: string, value: string): void {
  const key = name.toLowerCase();
  // Parsers differ in which of the two they use, and the grant must not depend on that.
  if (fields.has(key)) throw malformedForm(`The form contains the ${name} field twice.`);
  fields.set(key, value);
}

export function missingFile(): UploadError {
  return malformedForm('The form has no file field: send it as the last field.');
}

export function malformedForm(message: string, cause?: unknown): UploadError {
  return new UploadError('MalformedPOSTRequest', { message, cause });
}

/** Returns the media type of a file in lowercase. Without a `Content-Type` it is text (RFC 7578, section 4.4). */
export function toFileType(contentType = 'text/plain'): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Form fields whose names are the same in every deployment. */
const SIGNATURE = 'Signature';
const KEY = 'key';

/**
 * D30: if the form lacks `Signature`, the token, the meta file ID or `key`, nothing is stored and the
 * response is an XML `Error`.
 *
 * @param request identifies the call whose errors name the key
 * @throws UploadError
 */
export function toUploadFields(
  fields: ReadonlyMap<string, string>,
  request: object,
  { uploadFields }: Pick<WireProfile, 'uploadFields'>,
): Pick<UploadInput, 'key' | 'signature' | 'token' | 'metaFileId' | 'fields'> {
  const read = (name: string, code: UploadErrorCode) => {
    const value = fields.get(name.toLowerCase());
    if (value) return value;
    throw new UploadError(code, {
      message: `The form has no ${name} field: send it before the file.`,
    });
  };
  const key = read(KEY, 'MalformedPOSTRequest');
  rememberResource(request, key);
  return {
    key,
    signature: read(SIGNATURE, 'AccessDenied'),
    token: read(uploadFields.securityToken, 'AccessDenied'),
    metaFileId: read(uploadFields.metaFileId, 'AccessDenied'),
    fields,
  };
}

/** Form field that may request the status 200, 201 or 204 (D27). */
const STATUS_FIELD = 'success_action_status';
const STATUSES = ['200', '201', '204'];
const DEFAULT_STATUS = 204;

/**
 * D27: "The upload target responds with 204, an empty body, a strong `ETag` and a `Location`." A 201 has the
 * document that object stores send, which uploaders in pages read.
 */
export function toUploaded(
  { etag, location, bucket = '' }: UploadResult,
  { fields, key }: Pick<UploadInput, 'fields' | 'key'>,
): HandlerResponse {
  const requested = fields.get(STATUS_FIELD) ?? '';
  const status = STATUSES.includes(requested) ? Number(requested) : DEFAULT_STATUS;
  const quoted = etag.startsWith('"') ? etag : `"${etag}"`;
  // Headers are ASCII. Existing percent-encoding is kept.
  const url = location.replace(/[^\x21-\x7E]+/gu, encodeURIComponent);
  const headers = { etag: quoted, location: url };
  if (status !== 201) return { status, headers };
  return {
    status,
    headers: { ...headers, 'content-type': 'application/xml' },
    body: toXml('PostResponse', { Location: url, Bucket: bucket, Key: key, ETag: quoted }),
  };
}
