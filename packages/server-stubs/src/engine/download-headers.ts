import parseRange from 'range-parser';
import type { ByteRange } from './blob-store.ts';

/** Request headers, by lowercase name. */
export interface DownloadHeaders {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

/**
 * Characters that `encodeURIComponent` leaves alone, but that RFC 8187, section 3.2.1 (`attr-char`),
 * requires to be encoded.
 */
const NO_ATTR_CHAR = /['()*]/g;

/**
 * Anything but printable ASCII, and characters with a special meaning in quoted strings or for clients
 * that decode twice.
 */
const NOT_PLAIN = /[^\x20-\x7E]|["\\%]/gu;

/** Range units are case-insensitive (RFC 9110, section 14.1). */
const BYTES = /^bytes=/i;

/**
 * Evaluates the conditions of a GET or HEAD in the order of RFC 9110, section 13.2.2. Returns 412 or
 * 304, which have no content, or `undefined` if the file should be sent.
 *
 * Only the ETag distinguishes versions. A modification time does not: a file that is copied over a newer
 * one keeps its earlier time, so a cache that sends `If-Modified-Since` would keep outdated content. RFC
 * 9110, section 8.8.2, recommends `Last-Modified` only if the time can be determined consistently.
 * Responses therefore have no `Last-Modified`, and time-based conditions are ignored (sections 13.1.3 and
 * 13.1.4).
 *
 * @param etag quoted, as in the `ETag` header
 */
export function evaluateConditions(headers: DownloadHeaders, etag: string): 304 | 412 | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  // RFC 9110, section 13.1.1: strong comparison, in which a weak tag never matches.
  if (match !== undefined && !lists(match, etag, false)) return 412;
  return noneMatch !== undefined && lists(noneMatch, etag, true) ? 304 : undefined;
}

function lists(list: string, etag: string, weak: boolean): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (weak && tag === `W/${etag}`));
}

/**
 * Returns whether a `Range` header applies: `If-Range` is absent, or names this version by its ETag (RFC 9110,
 * section 13.1.5). Otherwise, and for any date, the complete file is sent, so that a client never
 * combines parts of two versions.
 *
 * @param etag quoted, as in the `ETag` header
 */
export function isRangeValid({ 'if-range': ifRange }: DownloadHeaders, etag: string): boolean {
  return ifRange === undefined || ifRange === etag;
}

/**
 * Returns the `Content-Disposition` of a download, with the file's own name (RFC 6266, section 4). A name
 * that is not plain ASCII is sent twice: encoded as in RFC 8187, and as an ASCII approximation for clients
 * that do not support that encoding (RFC 6266, appendix D).
 *
 * @param path file path, whose last segment is the name
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
 * Returns the part of a file that a `Range` header requests: `undefined` for the complete file, or
 * `none` if the file has no byte in the range.
 *
 * RFC 9110, section 14.2: a server may ignore the header. This server ignores units other than bytes,
 * malformed ranges, multiple ranges that cannot be merged into one, and any range of an empty file.
 */
export function toRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  if (header === undefined || size === 0 || !BYTES.test(header)) return undefined;
  const ranges = parseRange(size, widen(header, size), { combine: true });
  if (ranges === -1) return 'none';
  return ranges === -2 || ranges.length !== 1 ? undefined : ranges[0];
}

/**
 * RFC 9110, section 14.1.2: "If the selected representation is shorter than the specified suffix-length,
 * the entire representation is used." The parser takes such a range for one outside the file.
 */
function widen(header: string, size: number): string {
  return header.replace(/([=,]\s*)-(\d+)/g, (part, before: string, length: string) =>
    Number(length) > size ? `${before}0-` : part,
  );
}
