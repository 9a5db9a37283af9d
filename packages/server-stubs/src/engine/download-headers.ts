import parseRange from 'range-parser';
import type { ByteRange } from './blob-store.ts';

/** Headers of a request, names in lower case. */
export interface DownloadHeaders {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

/** RFC 8187, section 3.2.1, `attr-char`: what needs no encoding, as far as `encodeURIComponent` leaves more. */
const NO_ATTR_CHAR = /['()*]/g;

/** What is no printable ASCII, or has a meaning in a quoted string or for those who decode twice. */
const NOT_PLAIN = /[^\x20-\x7E]|["\\%]/gu;

/** Range units are case-insensitive (RFC 9110, section 14.1). */
const BYTES = /^bytes=/i;

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
export function judgeConditions(headers: DownloadHeaders, etag: string): 304 | 412 | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  // RFC 9110, section 13.1.1: the strong comparison; a weak tag never holds.
  if (match !== undefined && !lists(match, etag, false)) return 412;
  return noneMatch !== undefined && lists(noneMatch, etag, true) ? 304 : undefined;
}

function lists(list: string, etag: string, weak: boolean): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (weak && tag === `W/${etag}`));
}

/**
 * Whether a `Range` counts: `If-Range` names this very version by its ETag, or is not there (RFC 9110,
 * section 13.1.5). Else, and for any time, the whole file is sent: a client would glue parts of two
 * versions together.
 *
 * @param etag quoted, as in the header `ETag`
 */
export function isRangeValid({ 'if-range': ifRange }: DownloadHeaders, etag: string): boolean {
  return ifRange === undefined || ifRange === etag;
}

/**
 * `Content-Disposition` of a download, under the file's own name (RFC 6266, section 4). A name that is
 * not plain ASCII is there twice: encoded by RFC 8187, and as an ASCII likeness for those who cannot
 * read that (RFC 6266, appendix D).
 *
 * @param path path of the file; its last segment is the name
 *
 * @example
 * toDisposition('reports/summary.txt'); // attachment; filename="summary.txt"
 */
export function toDisposition(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const plain = name.replace(NOT_PLAIN, '_');
  const simple = `attachment; filename="${plain}"`;
  return plain === name ? simple : `${simple}; filename*=UTF-8''${toExtValue(name)}`;
}

function toExtValue(name: string): string {
  return encodeURIComponent(name).replace(
    NO_ATTR_CHAR,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * The one part of a file that a `Range` asks for; undefined for the whole file, `none` where no byte is
 * within.
 *
 * RFC 9110, section 14.2: a server may ignore the header. So it is for a unit other than bytes, for what
 * is no range, for several parts that do not make up one, and for a file that has no bytes.
 */
export function toRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  if (header === undefined || size === 0 || !BYTES.test(header)) return undefined;
  const ranges = parseRange(size, widen(header, size), { combine: true });
  if (ranges === -1) return 'none';
  return ranges === -2 || ranges.length !== 1 ? undefined : ranges[0];
}

/**
 * RFC 9110, section 14.1.2: "If the selected representation is shorter than the specified suffix-length,
 * the entire representation is used." The parser takes such a part for one outside of the file.
 */
function widen(header: string, size: number): string {
  return header.replace(/([=,]\s*)-(\d+)/g, (part, before: string, length: string) =>
    Number(length) > size ? `${before}0-` : part,
  );
}
