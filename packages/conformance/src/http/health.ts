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
export interface Health {
  /** @throws NetworkFault if a target has stopped responding */
  assertAlive(origin: string): void;
  /** Records a response, and how many milliseconds it took. */
  responded(origin: string, took: number): void;
  /** Records a call without a response, or with one that never ends. */
  silent(origin: string): void;
  /** The fastest response of the slowest target so far, in milliseconds: even a busy target has fast ones. */
  latency(): number;
}

export function createHealth(): Health {
  const silences = new Map<string, number>();
  const fastest = new Map<string, number>();
  return {
    assertAlive(origin) {
      if ((silences.get(origin) ?? 0) < MOST_SILENT) return;
      throw new NetworkFault(`${origin} did not respond ${MOST_SILENT} times in a row`, 'SILENT');
    },
    responded(origin, took) {
      silences.delete(origin);
      fastest.set(origin, Math.min(took, fastest.get(origin) ?? took));
    },
    silent: (origin) => void silences.set(origin, (silences.get(origin) ?? 0) + 1),
    latency: () => Math.max(0, ...fastest.values()),
  };
}
