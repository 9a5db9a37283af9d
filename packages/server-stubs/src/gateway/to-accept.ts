import { createHash } from 'node:crypto';

/** RFC 6455, section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** `Sec-WebSocket-Accept` for the `Sec-WebSocket-Key` of a request (RFC 6455, section 4.2.2). */
export function toAccept(key: string): string {
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64');
}
