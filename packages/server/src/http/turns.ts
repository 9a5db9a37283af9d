import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests of one connection that may wait. More are not read: their sender is to wait. */
const MOST_WAITING = 32;

/** Serves the pipelined requests of a connection one at a time. */
export interface Turns {
  /** Calls `serve` when the responses before this one have ended; never if the connection ends before. */
  take(response: ServerResponse, serve: () => void): void;
}

/**
 * Node gives out pipelined requests as they are read: one connection could have thousands of calls under way.
 * The responses have to be sent in order anyway (RFC 9112, section 9.3.2).
 */
export function createTurns(): Turns {
  const waiting = new WeakMap<Duplex, (() => void)[]>();

  function begin(socket: Duplex, response: ServerResponse, serve: () => void): void {
    response.once('close', () => next(socket));
    serve();
  }

  function next(socket: Duplex): void {
    const queue = waiting.get(socket);
    const turn = socket.writable ? queue?.shift() : undefined;
    if (turn === undefined) waiting.delete(socket);
    else turn();
    if (queue?.length === MOST_WAITING - 1) socket.resume();
  }

  return {
    take(response, serve) {
      const { socket } = response.req;
      const queue = waiting.get(socket);
      if (queue === undefined) {
        waiting.set(socket, []);
        begin(socket, response, serve);
        return;
      }
      queue.push(() => begin(socket, response, serve));
      if (queue.length !== MOST_WAITING) return;
      // Node reads on when a body has been read: what it reads then waits too, and is not read any further.
      const stay = () => {
        if (queue.length >= MOST_WAITING) socket.pause();
        else socket.off('resume', stay);
      };
      socket.on('resume', stay).pause();
    },
  };
}
