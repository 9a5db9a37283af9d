import type { Server } from 'node:http';
import type { Observer } from '../observe/create-observer.ts';

export interface DrainOptions {
  /** How long calls and streams under way may go on. */
  readonly seconds: number;
  readonly observer: Observer;
  /** Closes connections that have not sent a request yet: Node counts them as idle from 26 on. */
  readonly closeUnused: () => void;
  /** Ends WebSockets: when no other call is under way any more, or at the limit. */
  readonly endWebSockets: () => void;
}

const UNUSED_SECONDS = 1;

/**
 * Stops a server gracefully: it takes no new connections, closes idle ones, lets calls and streams
 * under way come to their end, and cuts those that have not after the limit. WebSockets have no end of
 * their own: they are ended as soon as nothing else is under way.
 *
 * @returns how many calls were cut
 */
export async function drain(
  server: Server,
  { seconds, observer, closeUnused, endWebSockets }: DrainOptions,
): Promise<number> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const onEnd = () =>
    setImmediate(() => {
      server.closeIdleConnections();
      if (observer.active === 0) endWebSockets();
    });
  observer.onEnd(onEnd);
  onEnd();
  // One that was opened just now may have a request on its way.
  const unused = setTimeout(() => {
    closeUnused();
    onEnd();
  }, Math.min(seconds, UNUSED_SECONDS) * 1000);
  let left = 0;
  const timer = setTimeout(() => {
    left = observer.active;
    endWebSockets();
    server.closeAllConnections();
  }, seconds * 1000);
  await closed;
  clearTimeout(timer);
  clearTimeout(unused);
  return left;
}
