import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isLoopback } from '@berth/server-stubs/contract';

/**
 * Returns the URL of this server as a caller sees it. A link leads to the host in its URL, so `Host` is trusted only
 * if it names this machine. Otherwise, the URL contains the address that the caller connected to.
 */
export function toRequestUrl({ headers, socket }: IncomingMessage): string {
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
  const url = URL.parse(`${scheme}://${headers.host}`);
  if (url && (isLoopback(url.hostname) || url.hostname.endsWith('.localhost'))) return url.origin;
  return toUrl(scheme, socket.localAddress ?? '127.0.0.1', socket.localPort ?? 0);
}

export function toUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${scheme}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
