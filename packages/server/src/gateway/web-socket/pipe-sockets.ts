import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a connection may be silent before TCP asks whether the other side is still there. */
const KEEP_ALIVE_MILLISECONDS = 60_000;

/**
 * Passes bytes both ways, each no faster than they are taken. What one side ends is ended on the other;
 * where one breaks, the other does too. Idle connections stay for as long as both sides answer TCP.
 */
export function pipeSockets(client: Duplex, service: Duplex): void {
  for (const [from, to] of [
    [client, service],
    [service, client],
  ] as const) {
    prepare(from);
    from.on('error', () => {});
    from.once('close', () => {
      if (from.readableEnded && from.errored === null) to.end();
      else to.destroy();
    });
    from.pipe(to);
  }
}

function prepare(socket: Duplex): void {
  const { setNoDelay, setKeepAlive, setTimeout } = socket as Partial<Socket>;
  setTimeout?.call(socket, 0);
  setNoDelay?.call(socket, true);
  setKeepAlive?.call(socket, true, KEEP_ALIVE_MILLISECONDS);
}
