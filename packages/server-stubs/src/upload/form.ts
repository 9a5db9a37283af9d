import type { Readable } from 'node:stream';
import type { WireProfile } from '@berth/spec/wire-profile';
import { toXml, UploadError } from '../errors.ts';
import type { HandlerResponse } from '../runtime/portable/call.ts';
import { encodeText } from '../runtime/portable/encoding.ts';
import { charsetOf, TOKEN } from '../runtime/portable/headers.ts';

/** An upload. Your handler must verify the grant: `signature`, `token` and `metaFileId`. */
export interface UploadInput {
  /** Path to write to, as in the form. */
  readonly key: string;
  /** Value of the `Signature` field: `authorization` in the upload metadata. */
  readonly signature: string;
  /** The `token` from the upload metadata. */
  readonly token: string;
  /** The `storeFileID` from the upload metadata. */
  readonly metaFileId: string;
  /**
   * Content of the file. It ends only when the form is complete, and fails if the form is aborted or the file too
   * large: write it to a temporary name first.
   */
  readonly file: Readable;
  /** Media type that the client sent, in lowercase, with no parameter but charset: `text/plain; charset=utf-8`. */
  readonly contentType: string;
  /** All fields before `file`, by lowercase name. */
  readonly fields: ReadonlyMap<string, string>;
}

/** The result of an upload, whose status is 204 unless the form requests 200 or 201. */
export interface UploadResult {
  /** Strong ETag of the content, such as its MD5 in hex. Quoted on the wire. */
  readonly etag: string;
  /** URL of the file. */
  readonly location: string;
  /** Name of the bucket that contains the file, for the document of a 201. Default: empty. */
  readonly bucket?: string;
}

/** The name decides whether a part is the file (D27): `curl -F 'file=<a'` sends no file name. */
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

export function missingFileField(): UploadError {
  return malformedForm('The form has no file field: send it as the last field.');
}

export function malformedForm(message: string, cause?: unknown): UploadError {
  return new UploadError('MalformedPOSTRequest', { message, cause });
}

/** Returns the media type of a file with its charset. Without a `Content-Type` it is text (RFC 7578, section 4.4). */
export function toFileType(header = 'text/plain'): string {
  const mediaType = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const charset = charsetOf(header);
  return charset && TOKEN.test(charset) ? `${mediaType}; charset=${charset}` : mediaType;
}

type OpenForm<File> = Pick<UploadInput, 'fields' | 'contentType'> & { readonly file: File };

/** Passes a form to a handler, and returns its response. @throws UploadError, with the key of the form */
export async function handleForm<File>(
  form: OpenForm<File>,
  wireProfile: WireProfile,
  handle: (
    input: Omit<UploadInput, 'file'> & OpenForm<File>,
  ) => UploadResult | Promise<UploadResult>,
): Promise<HandlerResponse> {
  try {
    const input = { ...form, ...toUploadFields(form.fields, wireProfile) };
    return toUploadResponse(await handle(input), input);
  } catch (error) {
    if (error instanceof UploadError) error.key = form.fields.get('key');
    throw error;
  }
}

/** D30: without one of them, nothing is stored. @throws UploadError */
function toUploadFields(
  fields: ReadonlyMap<string, string>,
  { uploadFields }: Pick<WireProfile, 'uploadFields'>,
): Pick<UploadInput, 'key' | 'signature' | 'token' | 'metaFileId'> {
  const read = (name: string, code: 'MalformedPOSTRequest' | 'AccessDenied') => {
    const value = fields.get(name.toLowerCase());
    if (value) return value;
    const isEmpty = value === '';
    const missing = `The form has no ${name} field: send it before the file.`;
    throw new UploadError(code, { message: isEmpty ? `The ${name} field is empty.` : missing });
  };
  return {
    key: read('key', 'MalformedPOSTRequest'),
    signature: read('Signature', 'AccessDenied'),
    token: read(uploadFields.securityToken, 'AccessDenied'),
    metaFileId: read(uploadFields.metaFileId, 'AccessDenied'),
  };
}

/** D27: "Success is a 204 with a strong `ETag` and a `Location`", unless the form requests another status. */
function toUploadResponse(
  { etag, location, bucket = '' }: UploadResult,
  { fields, key }: Pick<UploadInput, 'fields' | 'key'>,
): HandlerResponse {
  const requested = Number(fields.get('success_action_status'));
  const status = requested === 200 || requested === 201 ? requested : 204;
  const quoted = etag.startsWith('"') ? etag : `"${etag}"`;
  // Headers are ASCII. Existing percent-encoding is kept.
  const url = encodeText(location);
  const headers = { etag: quoted, location: url };
  if (status !== 201) return { status, headers };
  const body = toXml('PostResponse', { Location: url, Bucket: bucket, Key: key, ETag: quoted });
  return { status, headers: { ...headers, 'content-type': 'application/xml' }, body };
}
