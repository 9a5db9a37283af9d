import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isLoopback } from '@berth/server-stubs/contract';

/**
 * Returns the URL of this server as a caller sees it. A link leads to the host in its URL, so `Host` is trusted only
 * if it names this machine. Otherwise, the URL contains the address that the caller connected to.
 */
export function toPublicUrl(trustProxy: boolean): (request: IncomingMessage) => string {
  return ({ headers, socket }) => {
    const isSecure = (socket as Partial<TLSSocket>).encrypted === true;
    const own = `${isSecure ? 'https' : 'http'}://`;
    if (trustProxy) {
      const proto = lastOf(headers['x-forwarded-proto']);
      const host = lastOf(headers['x-forwarded-host']) ?? headers.host;
      const url = URL.parse(`${proto === undefined ? own : `${proto}://`}${host}`);
      if (url !== null && /^https?:$/.test(url.protocol)) return url.origin;
    }
    const url = URL.parse(own + headers.host);
    if (url && (isLoopback(url.hostname) || url.hostname.endsWith('.localhost'))) return url.origin;
    const { localAddress = '127.0.0.1', localPort } = socket;
    return `${own}${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`;
  };
}

/** The last value was set by the nearest proxy. */
function lastOf(value: string | string[] | undefined): string | undefined {
  return value?.toString().split(',').at(-1)?.trim();
}

export function toUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${scheme}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/**
 * Returns whether to accept a request for this `Host`. A page on another site can point its own name to this
 * machine (DNS rebinding), and then read what is served here; but it cannot make a browser send an IP address
 * or `localhost` instead of its name.
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  const hostname = URL.parse(`http://${host ?? ''}`)?.hostname;
  if (host === undefined || hostname === undefined) return false;
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return (
    isIP(bare) !== 0 || bare === 'localhost' || names.some((name) => name.toLowerCase() === bare)
  );
}
