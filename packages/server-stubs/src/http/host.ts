import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const AUTHORITY = /^(?:\[([\da-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i;

/**
 * The host that a request names, in lower case and without port or brackets; undefined where it names
 * none, or two. RFC 9112, section 3.2.2: the authority of an absolute-form target wins over `Host`.
 */
export function hostOf(request: IncomingMessage): string | undefined {
  const { url = '' } = request;
  const authority = (url.startsWith('/') ? undefined : authorityOf(url)) ?? hostHeaderOf(request);
  const [, ipv6, name] = AUTHORITY.exec(authority ?? '') ?? [];
  if (authority === undefined || !URL.canParse(`http://${authority}`)) return undefined;
  return (ipv6 ?? name)?.toLowerCase();
}

function authorityOf(url: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
}

/** RFC 9112, section 3.2: more than one `Host` is refused, for two readers could each take another. */
function hostHeaderOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  }
  return count === 1 ? headers.host : undefined;
}

/** Whether a host is this machine's own: `localhost` or a loopback address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  if (isIPv4(host)) return loopback.check(host, 'ipv4');
  return host.includes(':') && loopback.check(host, 'ipv6');
}
