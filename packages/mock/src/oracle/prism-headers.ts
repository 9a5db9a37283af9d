import type { IncomingHttpHeaders } from 'node:http';

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const MEDIA_RANGE = new RegExp(
  `^\\s*${TOKEN}/${TOKEN}(\\s*;\\s*${TOKEN}=(${TOKEN}|"[^"]*"))*\\s*$`,
);

/**
 * The headers of a request as Prism can read them.
 *
 * - Content-Type is left out: each surface has judged it, and Prism throws on one that is no media type.
 * - Accept is rewritten, see `toPrismAccept`.
 */
export function toPrismHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const { 'content-type': _, ...rest } = headers;
  const entries = Object.entries({ ...rest, accept: toPrismAccept(headers.accept) });
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/**
 * An Accept header that Prism reads as it is meant.
 *
 * - Without it any media type is acceptable (RFC 9110, section 12.5.1).
 * - What is no media range is left out, for Prism throws on it.
 * - Prism takes a documented `*` + `/*` for the best match of the range `*` + `/*`, and would answer
 *   "any bytes". JSON, its own default, is put before it.
 */
function toPrismAccept(accept = '*/*'): string {
  const ranges = accept.split(',').filter((range) => MEDIA_RANGE.test(range));
  return (ranges.length > 0 ? ranges : ['*/*'])
    .map((range) => range.replace(/^\s*\*\/\*(.*)$/, 'application/json$1,$&'))
    .join(',');
}
