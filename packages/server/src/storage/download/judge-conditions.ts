import type { IncomingHttpHeaders } from 'node:http';

/**
 * Judges the conditions of a GET or HEAD in the order of RFC 9110, section 13.2.2: 412 and 304 are
 * answered without content; undefined where the file is to be sent.
 *
 * Versions are told apart by their ETag alone. There is no time that could do it: a copy is the old file
 * under a new name, so an older file copied over a newer one would bring its older time with it, and a
 * cache that asks `If-Modified-Since` would keep content that is gone. RFC 9110, section 8.8.2, wants a
 * `Last-Modified` only where its time is a consistent one; without it, sections 13.1.3 and 13.1.4 have
 * the conditions on times ignored.
 *
 * @param etag quoted, as in the header `ETag`
 */
export function judgeConditions(headers: IncomingHttpHeaders, etag: string): 304 | 412 | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  // RFC 9110, section 13.1.1: the strong comparison; a weak tag never holds.
  if (match !== undefined && !lists(match, etag, false)) return 412;
  return noneMatch !== undefined && lists(noneMatch, etag, true) ? 304 : undefined;
}

/**
 * Whether a `Range` counts: `If-Range` names this very version by its ETag, or is not there (RFC 9110,
 * section 13.1.5). Else, and for any time, the whole file is sent: a client would glue parts of two
 * versions together.
 *
 * @param etag quoted, as in the header `ETag`
 */
export function isRangeValid({ 'if-range': ifRange }: IncomingHttpHeaders, etag: string): boolean {
  return ifRange === undefined || ifRange === etag;
}

function lists(list: string, etag: string, weak: boolean): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (weak && tag === `W/${etag}`));
}
