import type { IncomingHttpHeaders } from 'node:http';
// Not imported from the runtime's index, which needs Node.js modules: errors are also used in browsers.
import { type Headers, type HeaderValue, headerOf } from '../runtime/decoding.ts';

export type { Headers, HeaderValue };

/**
 * RFC 9110, section 7.6.1, and `Trailer`, because trailers are dropped too. Those for proxies are meant for
 * the next proxy (section 11.7).
 */
const HOP_BY_HOP = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer
  transfer-encoding upgrade`.split(/\s+/),
);

/** RFC 9110, section 8.3.1: in lowercase and without parameters. */
export function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/**
 * Removes hop-by-hop headers, and returns the others with lowercase names.
 *
 * RFC 9110, section 7.6.1: "Intermediaries MUST parse a received Connection header field before a message
 * is forwarded and, for each connection-option in this field, remove any header or trailer field(s) from
 * the message with the same name".
 *
 * @param others additional headers to remove, by lowercase name
 */
export function removeHopByHop(
  headers: Headers,
  others?: ReadonlySet<string>,
): Record<string, HeaderValue> {
  const kept: Record<string, HeaderValue> = {};
  const nominated = nominatedBy(headerOf(headers, 'connection'));
  for (const name in headers) {
    const value = headers[name];
    const key = name.toLowerCase();
    if (value === undefined || HOP_BY_HOP.has(key)) continue;
    if (others?.has(key) || nominated?.has(key)) continue;
    kept[key] = value;
  }
  return kept;
}

function nominatedBy(connection: string | undefined): Set<string> | undefined {
  // Fast path: the common values nominate nothing.
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') {
    return undefined;
  }
  const names = new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  // Without this header, the body would be lost.
  names.delete('content-length');
  return names;
}

/** Returns whether the headers request a WebSocket (RFC 6455, section 4.1). */
export function isUpgrade({ upgrade, connection }: IncomingHttpHeaders): boolean {
  if (upgrade === undefined || connection === undefined) return false;
  return lists(upgrade, 'websocket') && lists(connection, 'upgrade');
}

function lists(value: string, wanted: string): boolean {
  return value.split(',').some((entry) => entry.trim().toLowerCase() === wanted);
}
