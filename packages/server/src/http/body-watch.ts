import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerSlowBody } from './client-error.ts';

interface Watched {
  readonly response: ServerResponse;
  since: number;
  bytes: number;
}

export interface BodyWatchOptions {
  /** A client that sends less than `bytes` in so long is cut off; 0 watches nothing. */
  readonly seconds: number;
  readonly bytes: number;
}

/** Cuts off clients that hold a connection by sending a body hardly at all. */
export interface BodyWatch {
  add(request: IncomingMessage, response: ServerResponse): void;
  close(): void;
}

/**
 * Watches how fast bodies come. A limit of the whole time, as `requestTimeout` of Node, would cut long
 * uploads; one of the idle time lets a client live on a byte now and then.
 */
export function createBodyWatch({ seconds, bytes }: BodyWatchOptions): BodyWatch {
  if (seconds === 0) return { add: () => {}, close: () => {} };
  const watched = new Map<IncomingMessage, Watched>();
  const look = () => {
    const now = performance.now();
    for (const [request, entry] of watched) {
      if (now - entry.since < seconds * 1000) continue;
      const total = request.socket.bytesRead;
      const isSlow = total - entry.bytes < bytes && !isHeldUp(request);
      entry.since = now;
      entry.bytes = total;
      if (!isSlow) continue;
      watched.delete(request);
      if (entry.response.headersSent) request.socket.destroy();
      else answerSlowBody(request.socket);
    }
  };
  const timer = setInterval(look, Math.min(seconds * 250, 5_000)).unref();
  return {
    add(request, response) {
      const { headers, socket } = request;
      if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'])) return;
      watched.set(request, { response, since: performance.now(), bytes: socket.bytesRead });
      const forget = () => watched.delete(request);
      request.once('end', forget).once('close', forget);
    },
    close: () => clearInterval(timer),
  };
}

/** Whether it is this side that does not read: the client cannot send more than is taken. */
function isHeldUp(request: IncomingMessage): boolean {
  const isUntouched = request.readableFlowing === null && request.listenerCount('readable') === 0;
  return isUntouched || request.readableLength > 0;
}
