/** JSON bodies, from bytes to valid fields. Works in browsers, where MSW receives requests. */
import { scan } from 'secure-json-parse';
import { findContent } from './headers.ts';
import { bodyTooLarge, invalidBody, invalidRequest, unsupported } from './http-error.ts';
import type { Content, RequestBody, Validator } from './route-table.ts';
import { toViolation } from './validation.ts';

const JSON_DEPTH = 64;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a JSON body that something other than `node:http` received. @throws HttpError */
export function readJsonBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  documented: RequestBody,
  maxBytes: number,
): unknown {
  const { validate } = selectRequestContent(documented.content, contentType);
  if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes);
  const value = bytes.length === 0 ? undefined : toJson(decodeUtf8(bytes));
  return readFields(value, documented, validate);
}

export function selectRequestContent(
  content: readonly Content[],
  header: string | undefined,
): Content {
  const found = findContent(content, header ?? 'application/octet-stream');
  if (found !== undefined) return found;
  const accept = content.map(({ mediaType }) => mediaType).join(', ');
  const problem =
    header === undefined ? 'Content-Type is missing' : 'This Content-Type is not supported';
  throw unsupported(`${problem}: send one of ${accept}.`, { accept });
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw invalidBody('The request body is not valid UTF-8.');
  }
}

export function toJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalidBody(`The JSON body cannot be read: ${(error as Error).message}.`);
  }
}

/** @throws SyntaxError if it is not JSON, is nested too deeply, or pollutes prototypes (CWE-1321) */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Validators and handlers may be recursive.
  if (isDeeper(value, JSON_DEPTH)) {
    throw new SyntaxError(`it is nested deeper than ${JSON_DEPTH} levels`);
  }
  // Text without these cannot contain a forbidden key. An escape may hide one.
  const isSuspect = ['__proto__', 'constructor', '\\u'].some((part) => text.includes(part));
  if (isSuspect && Object(value) === value && scan(value as object, { safe: true }) === null) {
    throw new SyntaxError('it contains the forbidden key __proto__ or constructor.prototype');
  }
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return levels === 0 || members.some((member) => isDeeper(member, levels - 1));
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
  documented: RequestBody,
  validate: Validator | undefined,
): unknown {
  if (value === undefined) {
    if (documented.required) throw invalidBody('The request body is missing.');
    return undefined;
  }
  const wrapper = findWrapper(value, documented);
  const fields = wrapper === undefined ? value : (value as Record<string, unknown>)[wrapper];
  if (validate === undefined || validate(fields)) return fields;
  const prefix = wrapper === undefined ? '' : `/${wrapper}`;
  throw invalidRequest([toViolation(fields, validate.errors, 'body', 'body', prefix)]);
}

function findWrapper(
  value: unknown,
  { unwrap, unwrapFields = [] }: RequestBody,
): string | undefined {
  if (unwrap === undefined || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) || !Object.hasOwn(value, unwrap)) return undefined;
  const conflict = unwrapFields.find((name) => Object.hasOwn(value, name));
  if (conflict === undefined) return unwrap;
  const message = `body.${conflict} and body.${unwrap} are both set: send the fields in only one of these places.`;
  throw invalidBody(message);
}
