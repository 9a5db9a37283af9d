import { checkNotEmpty } from './checks.ts';
import { optionsError } from './errors.ts';

/** Finds what cannot be sent, even encoded: a path segment `.` or `..` (group 1), and half of a surrogate pair. */
const UNSENDABLE = /^(?:[^?]*?\/)?((?:\.|%2e){1,2})(?:[/?]|$)|\p{Cs}/iu;

/** Finds what the URL parser would change: a backslash (group 1: its segment), `#`, controls, a space at the end. */
const UNENCODED = /^(?:[^?]*\/)?([^/?]*\\[^/?]*)|[#\p{Cc}]| $/u;

/** Returns the URL of the page, to which others may be relative; `undefined` in Node. */
export function pageUrl(): string | undefined {
  return (globalThis as { location?: { href: string } }).location?.href;
}

export const isPage = (): boolean => !!pageUrl();

/**
 * Parses a URL. Returns `undefined` if `fetch` does not accept it, or if it contains a password, which an error of
 * `fetch` would show.
 *
 * @param base URL to which it may be relative. Default: it must be absolute
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  if (!URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined;
}

/** Returns a base URL that paths can be appended to, absolute and without a slash at its end. */
export function toBaseUrl(baseUrl: string): string {
  const url = parseUrl(baseUrl, pageUrl());
  if (url && /^(https?:|\/)[^?#]*$/i.test(baseUrl)) return url.href.replace(/\/$/, '');
  const expected = 'an absolute http(s) URL without credentials, a query or a fragment';
  throw optionsError(`baseUrl must be ${expected}.`);
}

/**
 * Checks that `fetch` sends a path as written: percent-encoding the characters that need it (WHATWG URL, section 1.3)
 * is all it may change. The gateway rejects `.` and `..`, but `fetch` resolves them first (section 4.4), and would call
 * another service.
 */
export function checkPath(name: string, path: string): string {
  const [match, part = match] = UNSENDABLE.exec(path) ?? UNENCODED.exec(path) ?? [];
  if (part === undefined) return path;
  const fix = UNENCODED.test(part) ? ': use encodeURIComponent' : '';
  const text = JSON.stringify(part);
  throw optionsError(`${name} must not contain ${text}, which fetch would change${fix}.`);
}

/** Encodes text that is one segment of a path. `encodeURIComponent` alone throws for half of a surrogate pair. */
export function toSegment(name: string, value: unknown): string {
  checkNotEmpty(name, value);
  return checkPath(name, value.replace(/\P{Cs}/gu, encodeURIComponent));
}

/**
 * Encodes a link so that `fetch` sends it correctly: links may contain spaces and non-ASCII letters, and must not be
 * encoded twice. The URL parser does that by itself, except for what it would drop or misread.
 *
 * @returns the absolute URL, or `undefined` if `fetch` cannot send the link
 */
export function encodeLink(link: string): string | undefined {
  const encoded = link.replace(/[#\\ ]|%(?![0-9a-f]{2})/gi, encodeURIComponent);
  return parseUrl(encoded)?.href;
}
