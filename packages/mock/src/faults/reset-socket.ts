import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
export function resetSocket(socket: Duplex): void {
  // Node resets plain sockets alone, and tells nobody which one is under TLS.
  const plain = socket instanceof TLSSocket ? (socket as { _parent?: unknown })._parent : socket;
  if (plain instanceof Socket && !plain.destroyed) plain.resetAndDestroy();
  socket.destroy();
}
