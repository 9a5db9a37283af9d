import type { IncomingMessage } from 'node:http';
import { endToEnd, type RawHeaders, without } from '../http/raw-headers.ts';

/** What the gateway reads itself: a credential is not for the service, and `Expect` was answered. */
const FOR_THE_GATEWAY = ['host', 'authorization', 'expect', 'content-length'];

/** The headers that a hosted service gets. The gateway's request id is not among them. */
export function toServiceHeaders(
  { rawHeaders, method }: IncomingMessage,
  { host }: URL,
  body: Buffer,
): RawHeaders {
  const length = method === 'POST' || body.length > 0;
  return [
    ...['Host', host],
    ...without(endToEnd(rawHeaders), FOR_THE_GATEWAY),
    ...(length ? ['Content-Length', String(body.length)] : []),
  ];
}
