/**
 * No answer: refused, reset, timed out, or cut off. It is the fault of the network or of the suite, and
 * never blamed on the target.
 */
export class NetworkFault extends Error {
  override readonly name = 'NetworkFault';
  /** Code of Node, `ECONNRESET` for example, or `TIMEOUT`, `TOO_LARGE`, `ABORTED`. */
  readonly code: string;

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Node's error as a sentence; errors of several tried addresses have no message of their own. */
export function toNetworkFault(error: NodeJS.ErrnoException, what: string): NetworkFault {
  if (error instanceof NetworkFault) return error;
  const code = error.code ?? 'UNKNOWN';
  return new NetworkFault(`${what}: ${error.message || code}`, code, { cause: error });
}
