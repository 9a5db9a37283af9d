import { splitTarget } from '../credentials/create-signers.ts';
import type { Sent } from './exchange.ts';

/** Bytes of a request as HTTP/1.1 writes it: the request line, the headers and the body. */
export function toSentSize({ method, url, headers, body }: Sent): number {
  const { pathname, search } = splitTarget(url);
  const target = search === '' ? pathname : `${pathname}?${search}`;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.byteLength(`${lines.join('\r\n')}\r\n\r\n`) + body.length;
}
