import type { Duplex } from 'node:stream';

/** What one side sends or ends, the other gets, no faster than it is taken; where one breaks, both do. */
export function joinSockets(one: Duplex, other: Duplex): void {
  pass(one, other);
  pass(other, one);
}

function pass(from: Duplex, to: Duplex): void {
  from.on('error', () => to.destroy());
  from.once('close', () => (from.readableEnded ? to.end() : to.destroy()));
  from.pipe(to);
}

/**
 * Tells when the other side ends a connection that nobody reads yet. What it sends before stays for whoever
 * reads next, and hides the end until then.
 *
 * @returns ends the watch
 */
export function noticeEnd(socket: Duplex, onEnd: () => void): () => void {
  // The end of a stream is told to those alone who read it.
  const notice = () => {
    if (socket.readableLength === 0) socket.read();
  };
  socket.on('readable', notice).once('end', onEnd);
  return () => {
    socket.off('readable', notice).off('end', onEnd);
  };
}
