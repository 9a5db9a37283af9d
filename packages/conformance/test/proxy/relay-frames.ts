import type { Socket } from 'node:net';
import type { Hooks, RelayedSocket, SocketFrame } from './messages.ts';

/** Opcodes (RFC 6455, section 5.2). */
const [TEXT, BINARY, CLOSE] = [1, 2, 8];

/** Relays the frames of an open WebSocket, and applies the hooks for frames, messages and closes. */
export function relayFrames(
  hooks: Hooks,
  caller: Socket,
  service: Socket,
  fromCaller: Buffer,
  fromService: Buffer,
): void {
  const sides = { caller, service };
  const relayed: RelayedSocket = {
    send: (frame) => (frame.from === 'caller' ? service : caller).write(toBytes(frame)),
    end() {
      caller.destroy();
      service.destroy();
    },
  };
  const { frame: change = (frame) => frame, joined } = hooks;
  const closing = { isBegun: false };
  joined?.(relayed);
  for (const from of ['caller', 'service'] as const) {
    let rest = from === 'caller' ? fromCaller : fromService;
    const join = createJoiner(hooks, closing);
    const read = (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (let taken = takeFrame(rest, from); taken; taken = takeFrame(rest, from)) {
        rest = taken.rest;
        const changed = change(taken.frame, relayed);
        for (const frame of changed ? join(changed) : []) relayed.send(frame);
      }
    };
    sides[from].on('data', read).once('end', () => {
      sides[from === 'caller' ? 'service' : 'caller'].end();
    });
    read(Buffer.alloc(0));
  }
}

/**
 * Returns a function that applies the hooks for messages and closes to the frames of a side, and returns the frames
 * to send instead. Only the first close of both sides counts, because the other side repeats it.
 */
function createJoiner({ message, close }: Hooks, closing: { isBegun: boolean }) {
  let parts: SocketFrame[] = [];
  let isContinued = false;
  return (frame: SocketFrame): SocketFrame[] => {
    const { from, opcode, fin, data } = frame;
    if (opcode === CLOSE && !closing.isBegun) {
      closing.isBegun = true;
      const code = data.length < 2 ? 1005 : data.readUInt16BE(0);
      const passed = close?.({ from, code, reason: data.subarray(2).toString() });
      return [passed ? { ...frame, data: toCloseData(passed) } : frame];
    }
    if (opcode >= CLOSE || !message) return [frame];
    parts.push(frame);
    if (!fin) return [];
    const binary = parts[0]?.opcode === BINARY;
    const given = { from, binary, data: Buffer.concat(parts.map((part) => part.data)) };
    parts = [];
    return [message(given) ?? []].flat().map((one) => {
      const isText = !one.binary && one.fin === undefined;
      const start = isContinued ? 0 : one.binary ? BINARY : TEXT;
      isContinued = one.fin === false;
      return {
        ...{ from, opcode: start, fin: !isContinued },
        data: isText ? Buffer.from(one.data.toString()) : one.data,
      };
    });
  };
}

/** Codes that no close frame may contain are left out (RFC 6455, section 7.4.1). */
function toCloseData({ code, reason }: { code: number; reason: string }): Buffer {
  if (code < 1000 || [1004, 1005, 1006, 1015].includes(code)) return Buffer.alloc(0);
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return Buffer.concat([head, Buffer.from(reason)]);
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
