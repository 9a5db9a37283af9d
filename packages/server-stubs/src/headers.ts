import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
// Not imported from the runtime's index, which needs Node.js modules: errors are also used in browsers.
import { type Headers, type HeaderValue, headerOf } from './runtime/media-types.ts';

export type { Headers, HeaderValue };

/** RFC 9110, section 7.6.1, and `Trailer`, because trailers are dropped too. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Removes hop-by-hop headers, and those that `Connection` names (RFC 9110, section 7.6.1). Names become lowercase.
 */
export function removeHopByHop(headers: Headers): Record<string, HeaderValue> {
  const kept: Record<string, HeaderValue> = {};
  const nominated = nominatedBy(headerOf(headers, 'connection'));
  for (const name in headers) {
    const value = headers[name];
    const key = name.toLowerCase();
    if (value === undefined || HOP_BY_HOP.has(key) || nominated?.has(key)) continue;
    kept[key] = value;
  }
  return kept;
}

function nominatedBy(connection: string | undefined): Set<string> | undefined {
  // Fast path: the common values nominate nothing.
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') {
    return undefined;
  }
  const names = new Set(toList(connection));
  // Without this header, the body would be lost.
  names.delete('content-length');
  return names;
}

function toList(value: string): string[] {
  return value.split(',').map((entry) => entry.trim().toLowerCase());
}

/** Returns whether the headers request a WebSocket (RFC 6455, section 4.1). */
export function isUpgrade({ upgrade, connection }: IncomingHttpHeaders): boolean {
  if (upgrade === undefined || connection === undefined) return false;
  return toList(upgrade).includes('websocket') && toList(connection).includes('upgrade');
}

const AUTHORITY = /^(?:\[[\da-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/**
 * RFC 9112, section 3.2.2: the authority of an absolute-form target takes precedence over `Host`.
 * `undefined` without a host, or with more than one.
 */
export function hostOf(request: IncomingMessage): string | undefined {
  const { url = '' } = request;
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? hostHeaderOf(request);
  if (authority === undefined || !AUTHORITY.test(authority)) return undefined;
  return URL.parse(`http://${authority}`)?.hostname;
}

/** RFC 9112, section 3.2: a second `Host` is rejected, because two parsers could choose different ones. */
function hostHeaderOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const isHost = (name: string, at: number) =>
    at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host';
  return rawHeaders.filter(isHost).length === 1 ? headers.host : undefined;
}

/** `127.0.0.0/8`, also as an IPv6 address, and `::1`. */
const LOOPBACK =
  /^(?:localhost|(?:\[?::ffff:)?127(?:\.\d{1,3}){3}\]?|\[?::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\]?)$/i;

/** Returns whether a host is `localhost` or a loopback address, with or without brackets. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
