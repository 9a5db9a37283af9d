import type { Server } from 'node:http';
import type { Observer } from '../observe/create-observer.ts';

export interface DrainOptions {
  /** How long calls and streams under way may go on. */
  readonly seconds: number;
  readonly observer: Observer;
  /** Ends what outlives it, WebSockets among it. */
  readonly cut: () => void;
}

/**
 * Stops a server gracefully: it takes no new connections, closes idle ones, lets calls and streams
 * under way come to their end, and cuts those that have not after the limit.
 *
 * @returns how many calls were cut
 */
export async function drain(
  server: Server,
  { seconds, observer, cut }: DrainOptions,
): Promise<number> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const onEnd = () => setImmediate(() => server.closeIdleConnections());
  observer.onEnd(onEnd);
  onEnd();
  let left = 0;
  const timer = setTimeout(() => {
    left = observer.active;
    cut();
    server.closeAllConnections();
  }, seconds * 1000);
  await closed;
  clearTimeout(timer);
  return left;
}
