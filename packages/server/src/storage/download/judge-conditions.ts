import type { IncomingHttpHeaders } from 'node:http';

/** What a condition is about: the version of a file that would be sent. */
export interface Version {
  /** Quoted, as in the header `ETag`. */
  readonly etag: string;
  readonly lastModified: Date;
}

/**
 * Judges the conditions of a GET or HEAD in the order of RFC 9110, section 13.2.2: 412 and 304 are
 * answered without content; undefined where the file is to be sent.
 */
export function judgeConditions(
  headers: IncomingHttpHeaders,
  version: Version,
): 304 | 412 | undefined {
  const { etag } = version;
  const modified = toSeconds(version.lastModified);
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined) {
    // RFC 9110, section 13.1.1: the strong comparison; a weak tag never holds.
    if (!lists(match, etag, false)) return 412;
  } else {
    const unmodifiedSince = toTime(headers['if-unmodified-since']);
    if (unmodifiedSince !== undefined && modified > unmodifiedSince) return 412;
  }
  if (noneMatch !== undefined) return lists(noneMatch, etag, true) ? 304 : undefined;
  const modifiedSince = toTime(headers['if-modified-since']);
  return modifiedSince !== undefined && modified <= modifiedSince ? 304 : undefined;
}

/**
 * Whether a `Range` counts: `If-Range` names this very version, or is not there (RFC 9110, section
 * 13.1.5). Else a client would glue parts of two versions together.
 *
 * @param now milliseconds since the epoch
 */
export function isRangeValid(
  { 'if-range': ifRange }: IncomingHttpHeaders,
  { etag, lastModified }: Version,
  now: number,
): boolean {
  if (ifRange === undefined) return true;
  if (typeof ifRange !== 'string') return false;
  if (ifRange.startsWith('"')) return ifRange === etag;
  // A time of this very second may stand for two versions (RFC 9110, section 8.8.2.2).
  return (
    toTime(ifRange) === toSeconds(lastModified) &&
    toSeconds(new Date(now)) > toSeconds(lastModified)
  );
}

function lists(list: string, etag: string, weak: boolean): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (weak && tag === `W/${etag}`));
}

/** HTTP times have no parts of a second (RFC 9110, section 5.6.7). */
function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

function toTime(header: string | undefined): number | undefined {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
