import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export type HeaderValue = string | number | readonly string[] | undefined;

export type Headers = Readonly<Record<string, HeaderValue>>;

/** Headers with lists: a response adds values to those that the router sends with every response. */
export const MERGED_HEADERS = new Set(['access-control-expose-headers', 'vary']);

/** Returns the value of a response header by its lowercase name. Multiple values are joined. */
export function headerOf(headers: Headers, name: string): string | undefined {
  for (const key in headers) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    const value = headers[key];
    if (value !== undefined) return Array.isArray(value) ? value.join(', ') : String(value);
  }
  return undefined;
}

/** Request headers are a plain object: without `hasOwn`, every request would have a `constructor` header. */
export function findHeader(headers: IncomingHttpHeaders, key: string): string | undefined {
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Replaces a request header, or removes it. */
export function setHeader(request: IncomingMessage, name: string, value?: string): void {
  const { headers, rawHeaders } = request;
  const key = name.toLowerCase();
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (rawHeaders[at]?.toLowerCase() === key) rawHeaders.splice(at, 2);
  }
  delete headers[key];
  if (value === undefined) return;
  headers[key] = value;
  rawHeaders.push(name, value);
}

/** A token (RFC 9110, section 5.6.2), such as a header name, a charset or a subprotocol. */
export const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i;

/** In lowercase (RFC 9110, section 8.3.2). An empty charset counts as missing. */
export function charsetOf(contentType: string): string | undefined {
  const match = CHARSET.exec(contentType);
  return (match?.[1] || match?.[2])?.toLowerCase() || undefined;
}

/** Prefers the same type and parameters, then the same type, then `text/*`, and then any type. */
export function findContent<Content extends { readonly mediaType: string }>(
  content: readonly Content[],
  contentType: string,
): Content | undefined {
  const equal = content.find(({ mediaType }) => mediaType === contentType);
  if (equal !== undefined) return equal;
  const exact = toComparable(contentType);
  const type = exact.replace(/;.*/, '');
  const range = type.replace(/\/.*/, '/*');
  const find = (expected: string, ignored: RegExp | string = '') =>
    content.find(({ mediaType }) => toComparable(mediaType).replace(ignored, '') === expected);
  return find(exact) ?? find(type, /;.*/) ?? find(range) ?? find('*/*');
}

function toComparable(mediaType: string): string {
  return mediaType.replaceAll(/[\s"]/g, '').toLowerCase();
}

/** Callers control these strings, so the cache is bounded. Longer strings are not cached. */
const MAX_TEXTS = 1000;
const MAX_LENGTH = 128;

export function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const cached = results.get(text);
    if (cached !== undefined) return cached;
    const result = compute(text);
    if (results.size >= MAX_TEXTS) results.clear();
    if (text.length <= MAX_LENGTH) results.set(text, result);
    return result;
  };
}
