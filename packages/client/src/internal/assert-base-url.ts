import { isFetchable } from './is-fetchable.ts';

/**
 * Refuses an address to which no path can be added, or that `fetch` refuses. One without a scheme
 * is relative to the page of a browser.
 *
 * @throws TypeError that does not repeat the address, for it may hold a password
 */
export function assertBaseUrl(baseUrl: string): void {
  if (URL.canParse(baseUrl) && (!isFetchable(baseUrl) || /[?#]/.test(baseUrl))) {
    throw new TypeError(
      'baseUrl is an http or https address without credentials, query and fragment.',
    );
  }
}
