/** How request bodies are parsed and validated, for `node:http` and MSW. */
import { createNullObject, encodeText, parseJson, parseQuery } from './encoding.ts';
import { findContent } from './headers.ts';
import { bodyTooLarge, HttpError, invalidBody, invalidRequest, unsupported } from './http-error.ts';
import { decode, propertyOf, readQuery } from './parameters.ts';
import type { Content, ContentKind, Field, RequestBody } from './route-table.ts';
import { toViolation } from './validation.ts';

type Parse = (text: string, content: Content) => unknown;

/** How a body of a kind is read; `undefined` if there is no value. Handlers get other kinds as a stream of bytes. */
export const PARSERS: Readonly<Partial<Record<ContentKind, Parse>>> = {
  json: (text) => (text === '' ? undefined : toJson(text)),
  form: (text, { fields }) => parseForm(text, fields),
  text: (text) => text,
};

function toJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalidBody(`The JSON body cannot be read: ${(error as Error).message}.`);
  }
}

/** Limits the objects that a form of many short fields would become. */
const MAX_FIELDS = 1000;

/** Reads a form. A documented field is converted to its types; any other is text, or a list if it occurs repeatedly. */
function parseForm(text: string, fields: readonly Field[] = []): Record<string, unknown> {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) {
    throw new HttpError('too-large', `The form has more than ${MAX_FIELDS} fields.`);
  }
  const form = createNullObject();
  const values = parseQuery(encodeText(text));
  for (const field of fields) {
    const value = readQuery(field, values);
    if (value !== undefined) form[field.name] = value;
  }
  const isDocumented = (sentName: string) =>
    fields.some((field) => field.name === sentName || propertyOf(field, sentName) !== undefined);
  for (const [name, rawValues] of values) {
    if (isDocumented(name)) continue;
    const texts = rawValues.map((raw) => decode({ name }, raw));
    form[name] = texts.length === 1 ? texts[0] : texts;
  }
  return form;
}

/**
 * The kind of a documented media type. `KindOf` in `handlers.ts` is the type-level equivalent.
 *
 * @param isString whether the schema allows only strings: in a range of media types, it then means bytes, not JSON
 */
export function kindOf(mediaType: string, isString: boolean): ContentKind {
  const type = mediaType.toLowerCase();
  if (isJsonType(type)) return 'json';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
  if (/^(?:\*|application)\/\*/.test(type)) return isString ? 'binary' : 'json';
  return /^(?:text\/|application\/(?:.+\+)?xml)/.test(type) ? 'text' : 'binary';
}

/** `application/json`, `application/problem+json`, with or without parameters. */
export function isJsonType(mediaType: string): boolean {
  return /^(?:application\/json|[^;]+\+json)\s*(?:;|$)/i.test(mediaType);
}

/** Reads a JSON body that something other than `node:http` received. @throws HttpError */
export function readJsonBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  documented: RequestBody,
  maxBytes: number,
): unknown {
  const content = selectRequestContent(documented.content, contentType);
  if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes);
  const value = bytes.length === 0 ? undefined : toJson(decodeUtf8(bytes));
  return readFields(value, documented, content);
}

export function selectRequestContent(content: readonly Content[], header?: string): Content {
  const found = findContent(content, header ?? 'application/octet-stream');
  if (found !== undefined) return found;
  const accept = content.map(({ mediaType }) => mediaType).join(', ');
  const problem =
    header === undefined ? 'Content-Type is missing' : 'This Content-Type is not supported';
  throw unsupported(`${problem}: send one of ${accept}.`, { accept });
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw invalidBody('The request body is not valid UTF-8.');
  }
}

/**
 * Returns the validated value of a parsed body: its fields, even if they were sent inside another property
 * (`x-berth-unwrap`).
 *
 * @param value `undefined` without a body
 * @throws HttpError if the value does not match the schema, or is missing
 */
export function readFields(
  value: unknown,
  { required }: RequestBody,
  { validate, unwrap, unwrapFields }: Partial<Content> = {},
): unknown {
  if (value === undefined) {
    if (required) throw invalidBody('The request body is missing.');
    return undefined;
  }
  const wrapper = unwrap && findWrapper(value, unwrap, unwrapFields);
  const fields = wrapper === undefined ? value : (value as Record<string, unknown>)[wrapper];
  if (validate === undefined || validate(fields)) return fields;
  const prefix = wrapper === undefined ? '' : `/${wrapper}`;
  throw invalidRequest([toViolation(fields, validate.errors, 'body', prefix)]);
}

function findWrapper(value: unknown, unwrap: string, unwrapFields: readonly string[] = []) {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) || !Object.hasOwn(value, unwrap)) return undefined;
  const conflict = unwrapFields.find((name) => Object.hasOwn(value, name));
  if (conflict === undefined) return unwrap;
  const message = `body.${conflict} and body.${unwrap} are both set: send the fields in only one of these places.`;
  throw invalidBody(message);
}
