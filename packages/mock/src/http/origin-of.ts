import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

const AUTHORITY = /^(?:\[[\da-f:.]+\]|[a-z\d._-]+)(?::\d{1,5})?$/i;

/** The address that a request names, as `URL` reads it; undefined if it names no host. */
export function originOf({ url = '', headers, socket }: IncomingMessage): string | undefined {
  const isSecure = (socket as Partial<TLSSocket>).encrypted === true;
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
  if (authority === undefined || !AUTHORITY.test(authority)) return undefined;
  const origin = `${isSecure ? 'https' : 'http'}://${authority}`;
  return URL.canParse(origin) ? origin : undefined;
}
