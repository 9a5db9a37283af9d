import parseRange from 'range-parser';
import type { StoredFile } from '../files/file-store.ts';
import type { Answer } from '../http/answer.ts';

/**
 * An uploaded page is anybody's: a browser shows it, but in an origin of its own and without its
 * scripts, and guesses no type (CSP3, `sandbox`; Fetch Standard, `X-Content-Type-Options`).
 */
const GUARD = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

/**
 * The content of a file, or one part of it (RFC 9110, section 14). Several ranges at once, and a unit
 * other than bytes, bring the whole file.
 */
export function serveFile(file: StoredFile, range: string | undefined): Answer {
  const { bytes, contentType, etag, modified } = file;
  const headers = {
    ...GUARD,
    'content-type': contentType,
    etag,
    'last-modified': modified.toUTCString(),
    'accept-ranges': 'bytes',
  };
  const ranges = range === undefined ? -2 : parseRange(bytes.length, range);
  if (ranges === -1) {
    return { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } };
  }
  const [part, ...others] = ranges === -2 || ranges.type !== 'bytes' ? [] : ranges;
  if (part === undefined || others.length > 0) return { status: 200, headers, body: bytes };
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${part.start}-${part.end}/${bytes.length}` },
    body: bytes.subarray(part.start, part.end + 1),
  };
}
