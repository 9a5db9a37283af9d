import { UploadError } from '../errors.ts';
import type { components } from '../generated/storage.v2.gen.ts';
import { describeResponse, type RememberedCall, rememberCall } from '../internal/failures.ts';
import type { StorageResponse } from '../internal/storage.ts';
import { isFetchable } from '../internal/urls.ts';
import type { UploadForm, UploadResponse } from '../platform/upload-form.ts';
import type { StorageNames } from '../wire-profile.ts';

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
export function toGrant(
  response: StorageResponse,
  path: string,
  { uploadFields, storeFileID }: StorageNames,
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
export function assertStored(response: UploadResponse, grant: UploadGrant, what: string): void {
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
export function readXmlError(text: string): XmlError | undefined {
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
