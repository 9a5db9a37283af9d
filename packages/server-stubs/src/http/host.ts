import type { IncomingMessage } from 'node:http';

const AUTHORITY = /^(?:\[[\da-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/** `127.0.0.0/8`, also as an IPv6 address, and `::1`. */
const LOOPBACK =
  /^(?:localhost|(?:\[?::ffff:)?127(?:\.\d{1,3}){3}\]?|\[?::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\]?)$/i;

/**
 * RFC 9112, section 3.2.2: the authority of an absolute-form target takes precedence over `Host`.
 * `undefined` without a host, or with more than one.
 */
export function hostOf(request: IncomingMessage): string | undefined {
  const { url = '' } = request;
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? hostHeaderOf(request);
  if (authority === undefined || !AUTHORITY.test(authority)) return undefined;
  try {
    return new URL(`http://${authority}`).hostname;
  } catch {
    return undefined;
  }
}

/** RFC 9112, section 3.2: a second `Host` is rejected, because two parsers could choose different ones. */
function hostHeaderOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  }
  return count === 1 ? headers.host : undefined;
}

/**
 * Returns whether a host is this machine: `localhost` or a loopback address, with or without brackets.
 *
 * @example
 * isLoopback('[::1]'); // true
 */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
