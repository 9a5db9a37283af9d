import { isFetchable } from './is-fetchable.ts';

/**
 * A link that `fetch` sends as it was meant. Links "may come unencoded (Chinese, spaces): encode
 * before fetching, without encoding twice". The URL parser encodes what no URL may hold and leaves
 * `%41` alone; here only what it would drop, trim or misread is added: `#`, `\`, a space, and a `%`
 * that begins no escape.
 *
 * @returns the absolute address, or `undefined` where the link is none that `fetch` can be given
 */
export function encodeLink(link: string): string | undefined {
  const encoded = link.replace(/[#\\ ]|%(?![0-9a-f]{2})/gi, encodeURIComponent);
  return isFetchable(encoded) ? new URL(encoded).href : undefined;
}
