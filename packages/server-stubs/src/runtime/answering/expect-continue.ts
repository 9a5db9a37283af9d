import type { IncomingMessage, ServerResponse } from 'node:http';

/** Responses whose clients still wait for the word to send their body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Notes that the client of `checkContinue` waits (RFC 9110, section 10.1.1). */
export function holdBody(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/** Asks a client that waits for its body, once. */
export function askToContinue(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}
