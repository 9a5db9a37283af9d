import parseRange from 'range-parser';
import type { ByteRange } from './blob-store.ts';

/** Request headers, by lowercase name. */
export interface DownloadHeaders {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

/** RFC 8187, section 3.2.1 (`attr-char`): characters that `encodeURIComponent` leaves alone. */
const NO_ATTR_CHAR = /['()*]/g;

/** Anything but printable ASCII, and what is special in quoted strings or to clients that decode twice. */
const NOT_PLAIN = /[^\x20-\x7E]|["\\%]/gu;

/** Range units are case-insensitive (RFC 9110, section 14.1). */
const BYTES = /^bytes=/i;

/**
 * RFC 9110, section 13.2.2. Only the ETag distinguishes versions: a file that is copied over a newer one
 * keeps its earlier time, so a cache that sends `If-Modified-Since` would keep outdated content. Time-based
 * conditions are therefore ignored (sections 13.1.3 and 13.1.4).
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
 * RFC 9110, section 13.1.5: unless `If-Range` names this version, the complete file is sent, so that a
 * client never combines parts of two versions.
 */
export function isRangeValid({ 'if-range': ifRange }: DownloadHeaders, etag: string): boolean {
  return ifRange === undefined || ifRange === etag;
}

/**
 * A name that is not plain ASCII is sent twice: encoded as in RFC 8187, and as an approximation for other
 * clients (RFC 6266, section 4 and appendix D).
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
 * RFC 9110, section 14.2: a server may ignore the header. This one ignores units other than bytes, malformed
 * ranges, multiple ranges that cannot be merged into one, and any range of an empty file.
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
