import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** Connects two sockets in both directions, with backpressure. If either socket fails, both are closed. */
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
 * Calls a function when the other side ends a connection that is not being read yet. Data that was sent
 * before the end stays in the socket for the next reader, and hides the end until it is read.
 *
 * @returns a function that stops watching
 */
export function noticeEnd(socket: Duplex, onEnd: () => void): () => void {
  // A stream only emits its end if it is read.
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
  // Node can only reset plain sockets, and has no public way to access the one under TLS.
  const plain = socket instanceof TLSSocket ? (socket as { _parent?: unknown })._parent : socket;
  if (plain instanceof Socket && !plain.destroyed) plain.resetAndDestroy();
  socket.destroy();
}

/**
 * Creates the response to an upgrade request, for which Node does not create one itself. The connection is
 * closed after the response.
 */
export function respondTo(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  // Node passes the socket without an error listener; a client that disconnects must not end the process.
  socket.on('error', () => {});
  return response.once('finish', () => {
    response.detachSocket(socket as Socket);
    if (socket instanceof Socket) socket.destroySoon();
    else socket.end();
  });
}
