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

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
export function resetSocket(socket: Duplex): void {
  // Node can only reset plain sockets, and has no public way to access the one under TLS.
  const plain = socket instanceof TLSSocket ? (socket as { _parent?: unknown })._parent : socket;
  if (plain instanceof Socket && !plain.destroyed) plain.resetAndDestroy();
  socket.destroy();
}
