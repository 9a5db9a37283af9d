import type { Socket } from 'node:net';
import type { Hooks, SocketFrame } from './messages.ts';

/** Relays the frames of an open WebSocket, and applies the hooks. */
export function relayFrames(
  { frames = (frame) => [frame], joined }: Hooks,
  caller: Socket,
  service: Socket,
  fromCaller: Buffer,
  fromService: Buffer,
): void {
  const sides = { caller, service };
  const send = (frame: SocketFrame) =>
    void (frame.from === 'caller' ? service : caller).write(toBytes(frame));
  joined?.(send);
  for (const from of ['caller', 'service'] as const) {
    let rest = from === 'caller' ? fromCaller : fromService;
    const read = (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (let taken = takeFrame(rest, from); taken; taken = takeFrame(rest, from)) {
        rest = taken.rest;
        for (const frame of frames(taken.frame)) send(frame);
      }
    };
    sides[from].on('data', read).once('end', () => {
      sides[from === 'caller' ? 'service' : 'caller'].end();
    });
    read(Buffer.alloc(0));
  }
}

/** Returns the first frame in these bytes if it is complete (RFC 6455, section 5.2). */
function takeFrame(
  bytes: Buffer,
  from: SocketFrame['from'],
): { frame: SocketFrame; rest: Buffer } | undefined {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const isMasked = (second & 0x80) !== 0;
  const start = 2 + lengthBytes + (isMasked ? 4 : 0);
  if (bytes.length < start) return undefined;
  const length =
    lengthBytes === 0
      ? short
      : lengthBytes === 2
        ? bytes.readUInt16BE(2)
        : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < start + length) return undefined;
  const data = Buffer.from(bytes.subarray(start, start + length));
  if (isMasked) {
    const mask = bytes.subarray(start - 4, start);
    for (const [index, byte] of data.entries()) data[index] = byte ^ (mask[index & 3] ?? 0);
  }
  const frame = { from, opcode: first & 0x0f, fin: (first & 0x80) !== 0, data };
  return { frame, rest: bytes.subarray(start + length) };
}

/** Frames from a caller are masked; with zeros, which change nothing. */
function toBytes({ from, opcode, fin, data }: SocketFrame): Buffer {
  const mask = from === 'caller' ? 0x80 : 0;
  const head = Buffer.alloc(data.length < 126 ? 2 : data.length < 65_536 ? 4 : 10);
  head[0] = (fin ? 0x80 : 0) | opcode;
  head[1] = mask | (data.length < 126 ? data.length : data.length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(data.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(data.length), 2);
  return Buffer.concat([head, ...(mask ? [Buffer.alloc(4)] : []), data]);
}
