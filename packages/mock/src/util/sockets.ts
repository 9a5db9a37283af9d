import type { Duplex } from 'node:stream';

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
