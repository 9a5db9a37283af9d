import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isLoopback } from './is-loopback.ts';

/**
 * Makes what tells a caller's own address of this server, without a slash at its end. A link goes to
 * whomever its host names, so a `Host` is believed where it names this machine; else the address counts
 * that the caller has really connected to.
 *
 * @param trustProxy whether `X-Forwarded-Host` and `X-Forwarded-Proto` are believed
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
    if (url !== null && isLoopback(url.hostname)) return url.origin;
    const { localAddress = '127.0.0.1', localPort } = socket;
    return `${own}${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`;
  };
}

/** What the nearest proxy says stands last. */
function lastOf(value: string | string[] | undefined): string | undefined {
  return value?.toString().split(',').at(-1)?.trim();
}
