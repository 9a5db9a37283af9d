import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import parseRange from 'range-parser';
import type { StoredFile } from '../files/file-store.ts';

/**
 * An uploaded page is anybody's: a browser shows it, but in an origin of its own and without its
 * scripts, and guesses no type (CSP3, `sandbox`; Fetch Standard, `X-Content-Type-Options`).
 */
const GUARD = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

/**
 * Sends the content of a file, or one part of it (RFC 9110, section 14). Several ranges at once, and a
 * unit other than bytes, bring the whole file.
 */
export function sendFile(
  { size, contentType, etag, modified, content }: StoredFile,
  { headers: { range }, method }: IncomingMessage,
  response: ServerResponse,
): void {
  const ranges = range === undefined ? -2 : parseRange(size, range);
  if (ranges === -1) {
    response.writeHead(416, { 'content-range': `bytes */${size}`, 'content-length': 0 }).end();
    return;
  }
  const [part, ...others] = ranges === -2 || ranges.type !== 'bytes' ? [] : ranges;
  const isPart = part !== undefined && others.length === 0;
  const { start, end } = isPart ? part : { start: 0, end: size - 1 };
  const headers = {
    ...GUARD,
    'content-type': contentType,
    etag,
    'last-modified': modified.toUTCString(),
    'accept-ranges': 'bytes',
    'content-length': end - start + 1,
    ...(isPart && { 'content-range': `bytes ${start}-${end}/${size}` }),
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.writeHead(isPart ? 206 : 200);
  const bytes = method === 'HEAD' ? undefined : content.read(start, end);
  if (bytes === undefined || Buffer.isBuffer(bytes)) response.end(bytes);
  else pipeline(bytes, response, () => {});
}
