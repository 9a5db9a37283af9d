import type { Duplex } from 'node:stream';
import type { BodyShape } from './body-shape.ts';
import { resetSocket } from './reset-socket.ts';

const END_OF_HEAD = '\r\n\r\n';

// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
type Rest = any[];

/** Breaks a connection off after so many bytes behind the head of its 101, or of its refusal. */
export function breakOffWebSocket(socket: Duplex, { limit, byReset }: BodyShape): void {
  if (limit === Infinity) return;
  const write = socket.write.bind(socket) as (chunk: Buffer, ...rest: Rest) => boolean;
  let isHead = true;
  let sent = 0;
  socket.write = ((chunk: string | Uint8Array, ...rest: Rest) => {
    const bytes = Buffer.from(
      chunk as string,
      typeof rest[0] === 'string' ? (rest[0] as 'utf8') : undefined,
    );
    const end = isHead ? bytes.indexOf(END_OF_HEAD) : -1;
    const head = isHead ? (end < 0 ? bytes.length : end + END_OF_HEAD.length) : 0;
    if (end >= 0) isHead = false;
    const body = Math.min(bytes.length - head, limit - sent);
    if (isHead || head + body === bytes.length) {
      sent += body;
      return write(bytes, ...rest.filter((given) => typeof given === 'function'));
    }
    sent = limit;
    return write(bytes.subarray(0, head + body), () => {
      if (byReset) resetSocket(socket);
      else socket.destroy();
    });
  }) as typeof socket.write;
}
