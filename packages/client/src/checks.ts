import { BerthError } from './errors.ts';

/** Creates the error for an argument that is not what it must be. Text is not shown: it may be a secret. */
export function invalid(name: string, expected: string, value: unknown): BerthError {
  const actual = value === null || typeof value === 'number' ? value : typeof value;
  return new BerthError('options', `${name} must be ${expected}, got ${actual}.`);
}

export function checkText(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalid(name, 'a string', value);
}

export function checkNumber(
  name: string,
  value: number | undefined,
  min: number,
  type: 'a number' | 'an integer' = 'a number',
): void {
  const isValid = type === 'a number' ? typeof value === 'number' : Number.isSafeInteger(value);
  if (value === undefined || (isValid && value >= min)) return;
  throw invalid(name, `${type} of at least ${min}`, value);
}

/** Returns the name of a value's type, such as `Blob`. */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

export function toRecord(headers: RequestInit['headers']): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    // The platform's error would show the value, which may be a credential.
    throw new BerthError('options', 'A header has an invalid name or value.');
  }
}

/** Returns the URL of the page, to which others may be relative; `undefined` in Node. */
export function pageUrl(): string | undefined {
  return (globalThis as { location?: { href: string } }).location?.href;
}

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
