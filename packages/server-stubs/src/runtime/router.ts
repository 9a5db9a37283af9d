import type { IncomingMessage, ServerResponse } from 'node:http';

/** What `node:http` and Express call for each request. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Middleware for Express 4 and 5 (`app.use(router)`, before or after a body parser), and a listener of
 * `node:http`. Without `next`, a path that the document does not have is answered with 404.
 */
export interface Router extends Listener {
  /**
   * Listener for `server.on('checkContinue', …)`: a client that sent `Expect: 100-continue` is asked
   * for its body only when that will be read. Without it Node asks for the body of every request.
   */
  readonly checkContinue: Listener;
}
