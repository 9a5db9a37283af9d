import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { GatewayInput } from '@berth/server-stubs';

/** Headers that are not sent to services, in addition to what the router removes. */
const WITHHELD = new Set([
  // The length is that of the body that is actually sent.
  'content-length',
  // RFC 7239: only X-Forwarded-* is maintained here, and the two could contradict each other.
  'forwarded',
  // The service's own host, for virtual hosts; the one that the caller used is in X-Forwarded-Host.
  'host',
  'x-real-ip',
]);

/** Set by the gateway itself; other spellings come from the caller. */
const REQUEST_ID = 'x-request-id';

const FORWARDED = 'x-forwarded-';

/**
 * RFC 6455, section 11.3.4: it belongs to a handshake. In any other call it could only carry a token
 * (D14).
 */
const SUBPROTOCOLS = 'sec-websocket-protocol';

const NOTHING: IncomingMessage['headers'] = {};

interface ServiceHeaderOptions {
  readonly credentials: ReadonlySet<string>;
  readonly isUpgrade: boolean;
  /**
   * Whether to trust the proxy in front of the gateway. If so, `X-Forwarded-For` is appended to and the other
   * two are kept; otherwise a caller could pretend to be someone else.
   */
  readonly isProxyTrusted: boolean;
}

/**
 * Returns the headers of the call to the service, as alternating names and values.
 *
 * CGI and WSGI read `X_Real_IP` and `X-Real-IP` as the same name. Headers are therefore also removed if their
 * names are spelled with underscores.
 */
export function toServiceHeaders(
  { headers: given }: GatewayInput,
  { headers: own, socket }: IncomingMessage,
  { credentials, isUpgrade, isProxyTrusted }: ServiceHeaderOptions,
): string[] {
  const headers: string[] = [];
  for (const name in given) {
    const spelling = name.replaceAll('_', '-');
    if (WITHHELD.has(spelling) || spelling.startsWith(FORWARDED)) continue;
    if (credentials.has(spelling) || (spelling === REQUEST_ID && spelling !== name)) continue;
    if (spelling === SUBPROTOCOLS && !isUpgrade) continue;
    const value = given[name] as string | string[];
    if (typeof value === 'string') headers.push(name, value);
    else for (const line of value) headers.push(name, line);
  }
  const address = socket.remoteAddress ?? 'unknown';
  const isSecure = (socket as Partial<TLSSocket>).encrypted === true;
  const told = isProxyTrusted ? own : NOTHING;
  const before = textOf(told['x-forwarded-for']);
  headers.push(
    'x-forwarded-for',
    before === undefined ? address : `${before}, ${address}`,
    'x-forwarded-proto',
    textOf(told['x-forwarded-proto']) ?? (isSecure ? 'https' : 'http'),
  );
  const host = textOf(told['x-forwarded-host']) ?? own.host;
  if (host !== undefined) headers.push('x-forwarded-host', host);
  return headers;
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
