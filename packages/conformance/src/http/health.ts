/**
 * Thrown if there is no response: the connection was refused, reset, timed out or cut off. The network or the
 * suite is at fault, never the target.
 */
export class NetworkFault extends Error {
  override readonly name = 'NetworkFault';
  /** Node's code, such as `ECONNRESET`, or `TIMEOUT`, `TOO_LARGE`, `ABORTED`. */
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

/** Codes of connections that the other side has closed. */
const CLOSED = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

export function isClosed(error: unknown): error is NetworkFault {
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

/** Thrown if every attempt got a 429. This proves nothing about the target. */
export class Throttled extends Error {
  override readonly name = 'Throttled';
}

/** A target that fails to respond this many times in a row is not called again. */
const MOST_SILENT = 12;

/**
 * Tracks the latency of targets and which of them have stopped responding, so that a run does not wait for
 * responses that will never arrive.
 */
export class Health {
  readonly #silences = new Map<string, number>();
  readonly #fastest = new Map<string, number>();

  /** @throws NetworkFault if a target has stopped responding */
  assertAlive(origin: string): void {
    if ((this.#silences.get(origin) ?? 0) < MOST_SILENT) return;
    throw new NetworkFault(`${origin} did not respond ${MOST_SILENT} times in a row`, 'SILENT');
  }

  /** Records a response, and how many milliseconds it took. */
  responded(origin: string, took: number): void {
    this.#silences.delete(origin);
    this.#fastest.set(origin, Math.min(took, this.#fastest.get(origin) ?? took));
  }

  /** Records a call without a response, or with one that never ends. */
  silent(origin: string): void {
    this.#silences.set(origin, (this.#silences.get(origin) ?? 0) + 1);
  }

  /** The fastest response of the slowest target so far, in milliseconds: even a busy target has fast ones. */
  latency(): number {
    return Math.max(0, ...this.#fastest.values());
  }
}
