import type { Socket } from 'node:net';
import type { Message } from './messages.ts';

/** Yields the frames that arrive on the socket of a WebSocket, after its first bytes. */
export async function* readFrames(
  from: Message['from'],
  socket: Socket,
  first: Buffer,
): AsyncGenerator<Message> {
  // The other direction may still be open when this one ends.
  const arriving = socket.iterator({ destroyOnReturn: false });
  let rest: Buffer = Buffer.alloc(0);
  for (let bytes: Buffer | undefined = first; bytes; bytes = (await arriving.next()).value) {
    rest = Buffer.concat([rest, bytes]);
    for (let taken = takeFrame(rest); taken; taken = takeFrame(rest)) {
      rest = taken.rest;
      yield { from, ...taken.frame };
    }
  }
}

/** Returns the first frame in these bytes if it is complete (RFC 6455, section 5.2). */
function takeFrame(bytes: Buffer) {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 6 : 0;
  const isMasked = (second & 0x80) !== 0;
  // No message of the suite has more than six bytes of length; the first two of eight are zero.
  const skipped = short === 127 ? 4 : 2;
  const start = skipped + lengthBytes + (isMasked ? 4 : 0);
  if (bytes.length < start) return undefined;
  const length = lengthBytes === 0 ? short : bytes.readUIntBE(skipped, lengthBytes);
  if (bytes.length < start + length) return undefined;
  const mask = isMasked ? bytes.subarray(start - 4, start) : [0];
  const data = bytes.subarray(start, start + length);
  const frame = {
    opcode: first & 0x0f,
    fin: (first & 0x80) !== 0,
    data: Buffer.from(data.map((byte, index) => byte ^ (mask[index % mask.length] ?? 0))),
  };
  return { frame, rest: bytes.subarray(start + length) };
}

/** Frames from a caller are masked; with zeros, which change nothing. */
export function toBytes({ from, opcode = 0, fin = true, data }: Message): Buffer {
  const mask = from === 'caller' ? 0x80 : 0;
  const { length } = data;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (fin ? 0x80 : 0) | opcode;
  head[1] = mask | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length > 2)
    head.writeUIntBE(length, head.length === 4 ? 2 : 4, head.length === 4 ? 2 : 6);
  return Buffer.concat([head, Buffer.alloc(mask ? 4 : 0), data]);
}
