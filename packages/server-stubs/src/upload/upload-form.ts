import type { Readable } from 'node:stream';
import type { WireProfile } from '@berth/spec/wire-profile';
import { rememberResource, toXml, UploadError, type UploadErrorCode } from '../errors.ts';
import { HttpError } from '../runtime/faults.ts';
import type { HandlerResponse } from '../runtime/index.ts';

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
  /** File name that the client sent. Do not use it as a path. */
  readonly filename: string;
  /**
   * Media type that the client sent, in lowercase, with its charset and without other parameters, such as
   * `text/plain; charset=utf-8`.
   */
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

/** A part of a form before the file. */
export interface FieldPart {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
}

/** A part with a file, whose content a parser adds. */
export interface FileHead {
  readonly kind: 'file';
  readonly name: string;
  readonly filename: string;
  /** Media type in lowercase, without parameters. Default: `application/octet-stream`. */
  readonly mediaType: string;
  /** Charset of the media type, in lowercase. Undefined if the part does not specify a valid one. */
  readonly charset?: string;
}

/** The field with the content, in lowercase. */
const FILE = 'file';

/** Form fields whose names are the same in every deployment. */
const SIGNATURE = 'Signature';
const KEY = 'key';

/**
 * Reads a form up to its file, and leaves the rest to the caller. Field names are case-insensitive, and `file`
 * is the last field (D27).
 *
 * @throws UploadError if the form is malformed
 */
export async function readForm<File extends FileHead>(
  parts: AsyncIterator<FieldPart | File>,
): Promise<{ readonly fields: ReadonlyMap<string, string>; readonly file: File }> {
  const fields = new Map<string, string>();
  const read = () => parts.next().catch(toFormError);
  for (let next = await read(); next.done !== true; next = await read()) {
    const part = next.value;
    const name = part.name.toLowerCase();
    if (part.kind === 'file') {
      if (name === FILE) return { fields, file: part };
    } else if (name === FILE) {
      throw malformed('The file field has no filename: add one, so that it is read as a file.');
    } else if (fields.has(name)) {
      // Parsers differ in which of the two they use, and the grant must not depend on that.
      throw malformed(`The form contains the ${part.name} field twice.`);
    } else {
      fields.set(name, part.value);
    }
  }
  throw malformed('The form has no file field: send it as the last field.');
}

/** Only the file is an entity that can be too large; a field that is too long makes the form malformed. */
function toFormError(error: unknown): never {
  const isField = error instanceof HttpError && error.kind === 'too-large';
  throw isField ? malformed(error.message) : error;
}

function malformed(message: string): UploadError {
  return new UploadError('MalformedPOSTRequest', { message });
}

/**
 * D30: if the form lacks `Signature`, the token, the meta file ID or `key`, nothing is stored and the
 * response is an XML `Error`.
 *
 * @param request identifies the call whose errors name the key
 * @throws UploadError
 */
export function toUploadFields(
  fields: ReadonlyMap<string, string>,
  { filename, mediaType, charset }: FileHead,
  request: object,
  { uploadFields }: Pick<WireProfile, 'uploadFields'>,
): Omit<UploadInput, 'file'> {
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
    filename,
    contentType: charset === undefined ? mediaType : `${mediaType}; charset=${charset}`,
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
