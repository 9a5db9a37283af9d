import type { WebSocket } from 'ws';
import type { FakeSocket } from '../fake-service.ts';

/** What has come and is not taken yet: beyond either, the caller is kept waiting. */
const MOST_MESSAGES = 64;
const MOST_BYTES = 1024 * 1024;

/** A socket whose messages wait until they are taken. */
export interface ScriptSocket extends FakeSocket {
  /** Takes no more messages: whatever comes is forgotten. */
  ignore(): void;
}

export function createFakeSocket(socket: WebSocket): ScriptSocket {
  const queue: (string | Uint8Array)[] = [];
  let bytes = 0;
  let taker: ((message: string | Uint8Array | undefined) => void) | undefined;
  let isIgnored = false;
  let isClosed = false;

  const isFull = () => queue.length >= MOST_MESSAGES || bytes >= MOST_BYTES;
  socket.on('message', (data: Buffer, isBinary) => {
    if (isIgnored) return;
    const message = isBinary ? data : data.toString();
    if (taker !== undefined) {
      const take = taker;
      taker = undefined;
      take(message);
      return;
    }
    queue.push(message);
    bytes += message.length;
    if (isFull()) socket.pause();
  });
  socket.once('close', () => {
    isClosed = true;
    taker?.(undefined);
    taker = undefined;
  });
  // What is wrong with a frame closes the socket; more there is not to do.
  socket.on('error', () => {});

  const receive = async () => {
    const message = queue.shift();
    if (message !== undefined) {
      bytes -= message.length;
      if (socket.isPaused && !isFull()) socket.resume();
      return message;
    }
    if (isClosed) return undefined;
    return new Promise<string | Uint8Array | undefined>((resolve) => {
      taker = resolve;
    });
  };

  return {
    protocol: socket.protocol,
    // The callback comes when the system has taken the message: a caller that does not read holds it
    // back. The turn lets others go on, where the caller reads as fast as is written.
    send: (message) => new Promise((resolve) => socket.send(message, () => setImmediate(resolve))),
    receive,
    close: (code, reason) => {
      isIgnored = true;
      socket.resume();
      socket.close(code, reason);
    },
    cut: () => socket.terminate(),
    ignore() {
      isIgnored = true;
      queue.length = 0;
      socket.resume();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const message = await receive();
        if (message === undefined) return;
        yield message;
      }
    },
  };
}
