import { pageUrl, parseUrl } from './checks.ts';
import { BerthError } from './errors.ts';

/** Finds the first path segment that the URL parser would resolve or split: `.`, `..`, or one with a backslash. */
const CHANGED_SEGMENT = /^(?:[^?]*?\/)?((?:\.|%2e){1,2}|[^/?]*\\[^/?]*)(?:[/?]|$)/i;

/** Finds what the URL parser would drop: a fragment, control characters, and a space at the end. */
const DROPPED_TEXT = /#|\p{Cc}| $/u;

/** Returns a base URL that paths can be appended to, absolute and without a slash at its end. */
export function toBaseUrl(baseUrl: string): string {
  const page = pageUrl();
  const url = parseUrl(baseUrl, page);
  if (url && /^(https?:|\/)/i.test(baseUrl) && !/[?#]/.test(baseUrl)) {
    return url.href.replace(/\/$/, '');
  }
  const expected = 'an absolute http(s) URL without credentials, a query or a fragment';
  throw new BerthError('options', `baseUrl must be ${expected}.`);
}

/**
 * Checks that `fetch` sends a path as written: percent-encoding the characters that need it (WHATWG URL, section 1.3)
 * is all it may change. The gateway rejects `.` and `..`, but `fetch` resolves them before that (section 4.4), and would
 * call another service.
 */
export function checkPath(name: string, path: string): string {
  const part = CHANGED_SEGMENT.exec(path)?.[1] ?? DROPPED_TEXT.exec(path)?.[0];
  if (part === undefined) return path;
  const reason = 'which fetch would change: leave it out, or use encodeURIComponent';
  throw new BerthError('options', `${name} must not contain ${JSON.stringify(part)}, ${reason}.`);
}

export function checkPresent(name: string, value: unknown): void {
  // An empty list has no text either.
  if (String(value ?? '')) return;
  throw new BerthError('options', `The path parameter "${name}" is missing.`);
}

export function toSegment(name: string, value: unknown): string {
  checkPresent(name, value);
  return checkPath(name, encodeURIComponent(String(value)));
}

/**
 * Encodes a link so that `fetch` sends it correctly: links may contain spaces and other letters, and must not be
 * encoded twice. The URL parser does that by itself, except for what it would drop or misread.
 *
 * @returns the absolute URL, or `undefined` if `fetch` cannot send the link
 */
export function encodeLink(link: string): string | undefined {
  const encoded = link.replace(/[#\\ ]|%(?![0-9a-f]{2})/gi, encodeURIComponent);
  return parseUrl(encoded)?.href;
}
