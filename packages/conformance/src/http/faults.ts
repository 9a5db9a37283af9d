/**
 * Thrown if there is no response: the connection was refused, reset, timed out or cut off. The network or the
 * suite is at fault, never the target.
 */
export class NetworkFault extends Error {
  override readonly name = 'NetworkFault';
  /** Node's code, such as `ECONNRESET`, or `TIMEOUT`, `TOO_LARGE`, `SILENT`, `ENDED`. */
  readonly code: string;

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Converts an error from Node to a NetworkFault. An AggregateError for several addresses has no message of
 * its own, so its code is shown instead.
 */
export function toNetworkFault(error: NodeJS.ErrnoException, what: string): NetworkFault {
  if (error instanceof NetworkFault) return error;
  const code = error.code ?? 'UNKNOWN';
  return new NetworkFault(`${what}: ${error.message || code}`, code, { cause: error });
}

/** Thrown if every attempt got a 429. This proves nothing about the target. */
export class Throttled extends Error {
  override readonly name = 'Throttled';
}

/** Codes of connections that the other side has closed. */
const CLOSED = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

function isClosed(error: unknown): error is NetworkFault {
  return error instanceof NetworkFault && CLOSED.includes(error.code);
}

/** Makes a call again if its connection is closed. */
export async function insist<Made>(call: () => Promise<Made>, attempts: number): Promise<Made> {
  try {
    return await call();
  } catch (error) {
    if (!isClosed(error) || attempts === 1) throw error;
    return insist(call, attempts - 1);
  }
}
