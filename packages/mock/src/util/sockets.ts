import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

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

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
export function resetSocket(socket: Duplex): void {
  // Node resets plain sockets alone, and does not say which one is under TLS.
  const plain = socket instanceof TLSSocket ? (socket as { _parent?: unknown })._parent : socket;
  if (plain instanceof Socket && !plain.destroyed) plain.resetAndDestroy();
  socket.destroy();
}

/**
 * The response to a request that asked for an upgrade, for which Node makes none; then the connection
 * closes.
 */
export function respondTo(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  // Node hands the socket over without a listener; a client that is gone must not end the process.
  socket.on('error', () => {});
  return response.once('finish', () => {
    response.detachSocket(socket as Socket);
    if (socket instanceof Socket) socket.destroySoon();
    else socket.end();
  });
}
