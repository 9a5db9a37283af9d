import { findContent } from '../decoding.ts';
import {
  bodyTooLarge,
  invalidRequest,
  malformed,
  missingBody,
  toViolation,
  unsupported,
} from '../faults.ts';
import { JSON_DEPTH, parseJson } from '../parse-json.ts';
import type { Content, RequestBody, Validator } from '../route-table.ts';

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

/** @throws HttpError if the document has no such content */
export function selectContent(content: readonly Content[], header: string | undefined): Content {
  const found = findContent(content, header ?? 'application/octet-stream');
  if (found !== undefined) return found;
  const accepted = content.map(({ mediaType }) => mediaType).join(', ');
  const problem =
    header === undefined ? 'Content-Type is missing' : 'This Content-Type is not supported';
  throw unsupported(`${problem}: send one of ${accepted}.`, { accept: accepted });
}

/** @throws HttpError if the text is not JSON, or nested too deep */
export function toJson(text: string, depth: number): unknown {
  const { problem, value } = parseJson(text, depth);
  if (problem === undefined) return value;
  throw malformed(`The JSON body ${problem}.`);
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
  const place = findWrapper(value, documented);
  const fields = place === undefined ? value : (value as Record<string, unknown>)[place];
  if (validate === undefined || validate(fields)) return fields;
  const prefix = place === undefined ? '' : `/${place}`;
  throw invalidRequest([toViolation(validate.errors, 'body', 'body', prefix)]);
}

/** @throws HttpError if both places contain fields */
function findWrapper(
  value: unknown,
  { unwrap: place, unwrapFields }: RequestBody,
): string | undefined {
  if (place === undefined || !isObject(value) || !Object.hasOwn(value, place)) return undefined;
  const other = unwrapFields
    ? unwrapFields.find((name) => Object.hasOwn(value, name))
    : Object.keys(value).find((name) => name !== place);
  if (other === undefined) return place;
  const message = `body.${other} and body.${place} are both set: send the fields in only one of these places.`;
  throw invalidRequest([{ in: 'body', pointer: '', keyword: 'unwrap', message }]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
