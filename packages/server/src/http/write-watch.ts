import type { Socket } from 'node:net';

interface Watched {
  since: number;
  taken: number;
  queued: number;
}

/** Cuts off clients that take nothing of what waits for them. */
export interface WriteWatch {
  add(socket: Socket): void;
  close(): void;
}

/**
 * Watches whether bytes that wait for a client leave. Node's timeout of a socket would not do: it also ends
 * silent streams, and what a client sends keeps it from ending one that reads nothing.
 *
 * @param seconds without progress that cost the connection; 0 watches nothing
 */
export function createWriteWatch(seconds: number): WriteWatch {
  if (seconds === 0) return { add: () => {}, close: () => {} };
  const watched = new Map<Socket, Watched>();
  const look = () => {
    const now = performance.now();
    for (const [socket, entry] of watched) {
      const pending = socket.writableLength;
      const taken = socket.bytesWritten - pending;
      const queued = queuedOf(socket);
      if (pending === 0 || taken !== entry.taken || queued !== entry.queued) {
        Object.assign(entry, { since: now, taken, queued });
      } else if (now - entry.since >= seconds * 1000) {
        socket.destroy();
      }
    }
  };
  const timer = setInterval(look, Math.min(seconds * 250, 5_000)).unref();
  return {
    add(socket) {
      watched.set(socket, { since: performance.now(), taken: 0, queued: 0 });
      socket.once('close', () => watched.delete(socket));
    },
    close: () => clearInterval(timer),
  };
}

/** What is left of the write under way, by which Node's own timeouts see progress too. */
function queuedOf(socket: Socket & { _handle?: { writeQueueSize?: number } | null }): number {
  return socket._handle?.writeQueueSize ?? 0;
}
