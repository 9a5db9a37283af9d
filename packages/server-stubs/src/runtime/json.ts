/** JSON bodies, from bytes to valid fields. Works in browsers, where MSW receives requests. */
import { scan } from 'secure-json-parse';
import {
  bodyTooLarge,
  invalidRequest,
  malformed,
  missingBody,
  toViolation,
  unsupported,
} from './faults.ts';
import { findContent } from './media-types.ts';
import type { Content, RequestBody, Validator } from './route-table.ts';

/** Default limit for the nesting of arrays and objects. */
export const JSON_DEPTH = 64;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body that something other than `node:http` received.
 *
 * @param contentType the `Content-Type` header
 * @throws HttpError if the body is larger than `maxBytes`, or not what the document describes
 */
export function readJsonBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  documented: RequestBody,
  maxBytes: number,
): unknown {
  const { validate } = selectContent(documented.content, contentType);
  if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes);
  if (bytes.length === 0) throw missingBody();
  return readFields(toJson(decodeUtf8(bytes), JSON_DEPTH), documented, validate);
}

/** @throws HttpError if the document has no such content */
export function selectContent(content: readonly Content[], header: string | undefined): Content {
  const found = findContent(content, header ?? 'application/octet-stream');
  if (found !== undefined) return found;
  const accept = content.map(({ mediaType }) => mediaType).join(', ');
  const problem =
    header === undefined ? 'Content-Type is missing' : 'This Content-Type is not supported';
  throw unsupported(`${problem}: send one of ${accept}.`, { accept });
}

/**
 * Skips a byte order mark (RFC 8259, section 8.1).
 *
 * @throws HttpError if the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw malformed('The request body is not valid UTF-8.');
  }
}

/** @throws HttpError if the text is not JSON that can be used safely */
export function toJson(text: string, maxDepth: number): unknown {
  try {
    return parseJson(text, maxDepth);
  } catch (error) {
    throw malformed(`The JSON body cannot be read: ${(error as Error).message}.`);
  }
}

/** @throws HttpError if a value that other middleware parsed is not safe */
export function assertJson(value: unknown, maxDepth: number): void {
  if (isDeeper(value, maxDepth)) throw malformed(`The JSON body ${tooDeep(maxDepth)}.`);
  if (isForbidden(value)) throw malformed(`The JSON body ${FORBIDDEN}.`);
}

/**
 * Parses untrusted JSON.
 *
 * @throws SyntaxError if it is not JSON, is nested too deep, pollutes prototypes (CWE-1321), or contains an
 *   integer that a number cannot represent
 */
export function parseJson(text: string, maxDepth: number): unknown {
  // Before parsing, because deep nesting is far more expensive to parse than its size suggests.
  const { isTooDeep, hasLongNumber } = scanTokens(text, maxDepth);
  if (isTooDeep) throw new SyntaxError(`it ${tooDeep(maxDepth)}`);
  const value: unknown = JSON.parse(text);
  if (SUSPECT.test(text) && isForbidden(value)) throw new SyntaxError(`it ${FORBIDDEN}`);
  const rounded = hasLongNumber ? findRounded(text) : undefined;
  if (rounded !== undefined) throw new SyntaxError(`it ${toRounded(rounded)}`);
  return value;
}

/** Text without these cannot contain a forbidden key. An escape may hide one. */
const SUSPECT = /__proto__|constructor|\\u/;

function isForbidden(value: unknown): boolean {
  return typeof value === 'object' && value !== null && scan(value, { safe: true }) === null;
}

const FORBIDDEN = 'contains the forbidden key __proto__ or constructor.prototype';

function tooDeep(maxDepth: number): string {
  return `is nested deeper than ${maxDepth} levels`;
}

/** 2^53 has 16 digits. */
const LONG_DIGITS = 16;

/** Looks at the text outside of strings. The result for invalid JSON is arbitrary. */
function scanTokens(text: string, maxDepth: number) {
  let depth = 0;
  let digits = 0;
  let hasLongNumber = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    digits = character >= '0' && character <= '9' ? digits + 1 : 0;
    if (digits === LONG_DIGITS) hasLongNumber = true;
    if (character === '"') at = endOfString(text, at + 1);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > maxDepth) return { isTooDeep: true, hasLongNumber };
  }
  return { isTooDeep: false, hasLongNumber };
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === '\\') before -= 1;
    const isEscaped = (end - before) % 2 === 1;
    if (!isEscaped) return end;
  }
  return text.length;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/** Strings and numbers. An unterminated string ends with the text, to keep the search linear. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function findRounded(json: string): string | undefined {
  for (const [token] of json.matchAll(TOKEN)) if (isRounded(token)) return token;
  return undefined;
}

/** JavaScript rounds most integers beyond 2^53. */
export function isRounded(text: string): boolean {
  if (text.length < LONG_DIGITS || !/^-?\d+$/.test(text)) return false;
  const value = Number(text);
  return !Number.isFinite(value) || BigInt(text) !== BigInt(value);
}

export function toRounded(integer: string): string {
  const shown = integer.length > 40 ? `${integer.slice(0, 40)}…` : integer;
  return `contains the integer ${shown}, which exceeds the precision of a number`;
}

/**
 * Returns the validated value of a parsed body: its fields, even if they were sent inside another property
 * (`x-berth-unwrap`).
 *
 * @throws HttpError if the value does not match the schema
 */
export function readFields(
  value: unknown,
  documented: RequestBody,
  validate: Validator | undefined,
): unknown {
  const wrapper = findWrapper(value, documented);
  const fields = wrapper === undefined ? value : (value as Record<string, unknown>)[wrapper];
  if (validate === undefined || validate(fields)) return fields;
  const prefix = wrapper === undefined ? '' : `/${wrapper}`;
  throw invalidRequest([toViolation(validate.errors, 'body', 'body', prefix)]);
}

/** @throws HttpError if both places contain fields */
function findWrapper(
  value: unknown,
  { unwrap, unwrapFields = [] }: RequestBody,
): string | undefined {
  if (unwrap === undefined || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) || !Object.hasOwn(value, unwrap)) return undefined;
  const second = unwrapFields.find((name) => Object.hasOwn(value, name));
  if (second === undefined) return unwrap;
  const message = `body.${second} and body.${unwrap} are both set: send the fields in only one of these places.`;
  throw invalidRequest([{ in: 'body', pointer: '', keyword: 'unwrap', message }]);
}
