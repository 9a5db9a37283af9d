import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { GatewayInput } from '@berth/server-stubs';

/** What does not reach the service, beside the hop-by-hop headers that the router has removed. */
const WITHHELD = new Set([
  // The credentials open every service of the environment: a service that saw them could call the others
  // in the caller's name.
  'authorization',
  // The length is that of the body which is really sent.
  'content-length',
  // RFC 9110, section 10.1.1: the gateway has answered the expectation itself.
  'expect',
  // RFC 7239: only X-Forwarded-* is kept true here, and two stories would be told.
  'forwarded',
  // The endpoint's own, for services behind a name; the one that the caller used is X-Forwarded-Host.
  'host',
  'x-real-ip',
]);

const FORWARDED = 'x-forwarded-';

/**
 * Headers of the call to the service, names and values in turn.
 *
 * @param isProxyTrusted whether what stands before the gateway may say for whom it calls: then
 * `X-Forwarded-For` is continued and the other two are kept. Else a caller could pretend to be another.
 */
export function toServiceHeaders(
  { headers: given }: GatewayInput,
  { headers: own, socket }: IncomingMessage,
  isProxyTrusted: boolean,
): string[] {
  const headers: string[] = [];
  for (const name in given) {
    if (WITHHELD.has(name) || name.startsWith(FORWARDED)) continue;
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

const NOTHING: IncomingMessage['headers'] = {};

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
