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
