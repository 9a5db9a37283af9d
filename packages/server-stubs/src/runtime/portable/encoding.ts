/** How paths, queries, cookies, JSON and JSON Pointers encode names and values. */
import { scan } from 'secure-json-parse';

const ENCODED = /[%\u0080-\uffff]/;
const UNENCODED = /[\u0080-\u00ff]/g;

/**
 * RFC 3986, section 2.1. Also decodes bytes that the client did not percent-encode, which Node.js reads as
 * Latin-1. `undefined` if the encoding is invalid.
 */
export function decodeText(raw: string): string | undefined {
  if (!ENCODED.test(raw)) return raw;
  try {
    return decodeURIComponent(
      raw.replace(UNENCODED, (byte) => `%${byte.charCodeAt(0).toString(16)}`),
    );
  } catch {
    return undefined;
  }
}

/** Percent-encodes characters that a URL cannot contain, which `decodeText` would take for bytes. */
export function encodeText(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()));
}

/** Decodes a name or value in a query. As in HTML forms, a plus sign means a space. */
export function decodeQuery(raw: string): string | undefined {
  return decodeText(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}

/** RFC 3986, section 6.2.2.2: percent-encoded unreserved characters are equal to their plain form. */
export function decodeUnreserved(text: string): string {
  return text.replace(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}

/** Raw values of a query or form, by decoded name. */
export type QueryValues = ReadonlyMap<string, readonly string[]>;

/** A name with an invalid encoding is ignored like any unknown name, because no document can contain it. */
export function parseQuery(query: string): QueryValues {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    const [name = '', ...value] = pair.split('=');
    const key = pair === '' ? undefined : decodeQuery(name);
    if (key === undefined) continue;
    const existing = values.get(key);
    if (existing) existing.push(value.join('='));
    else values.set(key, [value.join('=')]);
  }
  return values;
}

/** Finds the values of all cookies with a name. They are not decoded (RFC 6265, section 5.4). */
export function findCookies(header = '', name = ''): string[] {
  const found: string[] = [];
  for (const pair of header.split(';')) {
    const [sentName = '', ...value] = pair.split('=');
    if (value.length === 0 || sentName.trim() !== name) continue;
    const text = value.join('=').trim();
    found.push(/^"(.*)"$/.exec(text)?.[1] ?? text);
  }
  return found;
}

/** Escapes a name for a JSON Pointer (RFC 6901, section 3). */
export function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The names in a JSON Pointer, unescaped. */
export function toNames(pointer: string): string[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const EMPTY: object = Object.freeze(Object.create(null));

/**
 * Creates an object with an empty prototype, so that callers may send any name, even `__proto__` or `constructor`.
 * Faster than `Object.create(null)`, whose properties V8 keeps in a hash table.
 */
export function createNullObject<Value = unknown>(): Record<string, Value> {
  return Object.create(EMPTY);
}

const JSON_DEPTH = 64;

/** Parses JSON from callers. @throws SyntaxError if it is invalid, too deep, or pollutes prototypes (CWE-1321) */
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
  if (levels === 0) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeper(member, levels - 1)) return true;
  }
  return false;
}
