import { wrong } from './options.ts';

/**
 * Refuses an address to which no path can be added, or that `fetch` refuses. An empty one, and one
 * that begins with `/`, is relative to the page of a browser.
 *
 * @throws TypeError that does not repeat what may be a password
 */
export function assertBaseUrl(baseUrl: unknown): asserts baseUrl is string {
  const expected = 'an absolute http(s) URL';
  if (typeof baseUrl !== 'string') throw wrong('baseUrl', expected, baseUrl);
  if (/[?#@]/.test(baseUrl)) {
    throw new TypeError('baseUrl must have no credentials, query or fragment.');
  }
  const isAbsolute = /^https?:/i.test(baseUrl) && URL.canParse(baseUrl);
  if (!isAbsolute && !/^(\/|$)/.test(baseUrl)) {
    throw new TypeError(`baseUrl must be ${expected}, got ${JSON.stringify(baseUrl)}.`);
  }
}
