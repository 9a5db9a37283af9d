import { UploadError } from '../errors.ts';
import type { components } from '../generated/storage.v2.gen.ts';
import type { StorageResponse } from '../internal/envelope.ts';
import { describeResponse, type RememberedCall, rememberCall } from '../internal/failures.ts';
import { isFetchable } from '../internal/urls.ts';
import type { UploadForm, UploadResponse } from '../platform/upload-form.ts';
import type { StorageNames } from '../wire-profile.ts';

type Field = keyof components['schemas']['UploadForm'];

/** A field that wire profiles do not rename. */
const SIGNATURE = 'Signature' satisfies Field;

const KEY = 'key' satisfies Field;

/** Child elements of `Error` that object stores commonly send; the contract guarantees none. */
const CHILDREN = [
  'Code',
  'Message',
  'RequestId',
] as const satisfies readonly (keyof components['schemas']['UploadError'])[];

const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The second step of an upload. Everything except `fileID` is secret. */
interface UploadGrant extends Pick<UploadForm, 'url' | 'fields'>, RememberedCall {
  readonly url: string;
  readonly fileID: string;
}

/**
 * The grant in the response of `getUploadMetaData`, checked field by field, so that nothing is ever sent
 * to `undefined`.
 *
 * @throws StorageError naming the first field that is missing or invalid
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
    secrets: () => [authorization, token, new URL(url).search],
  };
}

/**
 * Checks an upload target's response. "A success carries no such element": an XML `Error` decides, even
 * with status 200, and so does any status other than 2xx.
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

/** Texts of the known child elements; a missing one is `undefined`. */
type XmlError = Partial<Record<(typeof CHILDREN)[number], string>>;

/**
 * Reads the `Error` element of an upload target's response. This is the only XML that the client reads,
 * Node has no parser for it, and a library is larger than the whole client. Comments and CDATA are
 * respected, prefixes and attributes ignored, the five named and the numeric references decoded. No
 * document type is read, so nothing can be expanded.
 *
 * @returns the texts, or `undefined` if the document has no `Error` element
 */
export function readXmlError(text: string): XmlError | undefined {
  const error = contentOf(withoutSections(text), 'Error');
  if (error === undefined) return undefined;
  return Object.fromEntries(
    CHILDREN.map((name) => [name, decode((contentOf(error, name) ?? '').trim()) || undefined]),
  );
}

/** Drops comments and turns CDATA into ordinary text, so that no tag is found in them. */
function withoutSections(xml: string): string {
  return xml.replace(
    /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g,
    (_, data: string | undefined) => (data ?? '').replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  );
}

/** Content of the first element of a name, even if the document is cut off in it. */
function contentOf(xml: string, name: string): string | undefined {
  const tag = `(?:[\\w.-]+:)?${name}`;
  const found = new RegExp(`<${tag}(?:\\s[^<>]*?)?(?:/>|>([^]*?)(?:</${tag}\\s*>|$))`).exec(xml);
  return found ? (found[1] ?? '') : undefined;
}

/** Decodes references once, so that `&amp;lt;` is the text `&lt;`. */
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
