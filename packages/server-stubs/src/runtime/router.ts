import type { IncomingMessage, ServerResponse } from 'node:http';

/** What `node:http` and Express call for each request. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/** An operation, and the path parameters of a request for it. */
export interface FoundOperation {
  readonly operationId: string;
  /** As they came, nothing decoded. */
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Middleware for Express 4 and 5 (`app.use(router)`, before or after a body parser), and a listener of
 * `node:http`. Without `next`, a path that the document does not have is answered with 404.
 */
export interface Router extends Listener {
  /**
   * The operation that a request is for, before anything of it is judged: for what has to know it
   * beforehand, such as a limit by operation. Undefined where there is none of its path and method.
   */
  readonly find: (request: Pick<IncomingMessage, 'method' | 'url'>) => FoundOperation | undefined;
  /**
   * Listener for `server.on('checkContinue', …)`: a client that sent `Expect: 100-continue` is asked
   * for its body only when that will be read. Without it Node asks for the body of every request.
   */
  readonly checkContinue: Listener;
}
