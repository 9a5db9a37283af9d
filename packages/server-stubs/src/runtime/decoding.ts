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

const ENCODED = /[%\u0080-\uffff]/;

const UNENCODED = /[\u0080-\u00ff]/g;

/** Decodes a name or value in a query. As in HTML forms, a plus sign means a space. */
export function decodeQuery(raw: string): string | undefined {
  return decodeText(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}

/**
 * An object with an empty prototype, so that `__proto__` and `constructor` are ordinary names. V8 keeps
 * it in fast mode, unlike the result of `Object.create(null)`.
 */
export interface NullObject {
  [name: string]: unknown;
}

const Constructor = function NullObject() {} as unknown as new () => NullObject;

Constructor.prototype = Object.freeze(Object.create(null));

export function createNullObject(): NullObject {
  return new Constructor();
}

/** Raw values, keyed by their decoded names. */
export type QueryValues = ReadonlyMap<string, readonly string[]>;

/** A name with an invalid encoding is ignored like any unknown name, because no document can contain it. */
export function parseQuery(query: string): QueryValues {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decodeQuery(at < 0 ? pair : pair.slice(0, at));
    if (name === undefined) continue;
    const value = at < 0 ? '' : pair.slice(at + 1);
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/** Parses raw cookies by name (RFC 6265, section 5.4). A name may occur several times. */
export function parseCookies(header: string | undefined): ReadonlyMap<string, readonly string[]> {
  const cookies = new Map<string, string[]>();
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at < 0) continue;
    const name = pair.slice(0, at).trim();
    const value = withoutQuotes(pair.slice(at + 1).trim());
    const known = cookies.get(name);
    if (known) known.push(value);
    else cookies.set(name, [value]);
  }
  return cookies;
}

function withoutQuotes(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"')
    ? value.slice(1, -1)
    : value;
}

/** A header value, as Node.js represents it. */
export type HeaderValue = string | number | readonly string[] | undefined;

/** Headers by name. As on the wire, names are case-insensitive. */
export type Headers = Readonly<Record<string, HeaderValue>>;

/**
 * Returns the value of a header. Multiple values are joined.
 *
 * @param name in lowercase
 */
export function headerOf(headers: Headers, name: string): string | undefined {
  for (const key in headers) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    const value = headers[key];
    if (value !== undefined) return Array.isArray(value) ? value.join(', ') : String(value);
  }
  return undefined;
}

const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i;

/** In lowercase (RFC 9110, section 8.3.2). */
export function charsetOf(header: string): string | undefined {
  const match = CHARSET.exec(header);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

function isWithinRange(range: string, type: string): boolean {
  if (range === type || range === '*/*') return true;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1));
}

/** Prefers the same type and parameters, then the same type, and then the narrowest matching range. */
export function findContent<Content extends { readonly mediaType: string }>(
  content: readonly Content[],
  header: string,
): Content | undefined {
  const same = content.find(({ mediaType }) => mediaType === header);
  if (same !== undefined) return same;
  const whole = toComparable(header);
  const type = withoutParameters(whole);
  let named: Content | undefined;
  let best: Content | undefined;
  for (const candidate of content) {
    const documented = toComparable(candidate.mediaType);
    if (documented === whole) return candidate;
    const range = withoutParameters(documented);
    if (range === type) named ??= candidate;
    if (isWithinRange(range, type) && (best === undefined || best.mediaType.startsWith('*/*'))) {
      best = candidate;
    }
  }
  return named ?? best;
}

function toComparable(header: string): string {
  return header.replaceAll(/[\s"]/g, '').toLowerCase();
}

function withoutParameters(header: string): string {
  const end = header.indexOf(';');
  return end < 0 ? header : header.slice(0, end);
}
