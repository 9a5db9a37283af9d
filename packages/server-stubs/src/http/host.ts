import type { IncomingMessage } from 'node:http';

const AUTHORITY = /^(?:\[[\da-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/** `127.0.0.0/8`, also written as an IPv6 address, and `::1`; as a URL spells them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

/**
 * The host that a request names, without port and as a URL spells it: in lower case, an address in its
 * shortest form. Undefined if it names none, or two. RFC 9112, section 3.2.2: the authority of an
 * absolute-form target wins over `Host`.
 */
export function hostOf(request: IncomingMessage): string | undefined {
  const { url = '' } = request;
  const authority = (url.startsWith('/') ? undefined : authorityOf(url)) ?? hostHeaderOf(request);
  if (authority === undefined || !AUTHORITY.test(authority)) return undefined;
  const target = `http://${authority}`;
  return URL.canParse(target) ? new URL(target).hostname : undefined;
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
  return LOOPBACK.test(host);
}
