import { GatewayError } from '../errors/gateway-error.ts';
import type { Call } from '../runtime/index.ts';

const MAY_BE_REWRITTEN = /\/(?:\.|%2e)|\\/i;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * Refuses what must not reach a hosted service.
 *
 * D3: "A segment that is `.` or `..` after one decoding is 400 `INVALID_REQUEST`": a service or a
 * library on the way could resolve it, and so reach another service. The same goes for a backslash,
 * which is no character of a URL (RFC 3986) and which URL parsers turn into a slash (WHATWG URL, section
 * 4.4). D13: "A GET with a body is 400."
 *
 * @throws GatewayError INVALID_REQUEST
 */
export function assertForwardable({ request, rawPath }: Pick<Call, 'request' | 'rawPath'>): void {
  if (rawPath !== lastPath && MAY_BE_REWRITTEN.test(rawPath)) assertNoRewriting(rawPath);
  lastPath = rawPath;
  const { method, headers } = request;
  if (method === 'POST') return;
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
    throw new GatewayError('INVALID_REQUEST', {
      message: 'A GET has no body: send the data in the query string, or use POST.',
    });
  }
}

/** The last path that was fine: calls repeat themselves. */
let lastPath: string | undefined;

function assertNoRewriting(path: string): void {
  if (path.includes('\\')) {
    throw new GatewayError('INVALID_REQUEST', {
      message: 'The path has a backslash: write it as %5C, or send a slash.',
    });
  }
  if (path.split('/').some((segment) => DOT_SEGMENT.test(segment))) {
    throw new GatewayError('INVALID_REQUEST', {
      message: 'A segment of the path is . or .. after decoding: resolve it before you send it.',
    });
  }
}
