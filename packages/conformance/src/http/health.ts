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

/** A call that the target refused with 429 again and again: nothing was learnt, and nothing is broken. */
export class Throttled extends Error {
  override readonly name = 'Throttled';
}

/** A target that gives no answer this often in a row is not called again. */
const MOST_SILENT = 12;

/**
 * Knows which targets have stopped answering, so that a run does not wait for each call in vain, and
 * how far away they are.
 */
export interface Health {
  /** @throws NetworkFault where a target is given up */
  assertAlive(origin: string): void;
  /** Notes a response, and how many milliseconds it took. */
  answered(origin: string, took: number): void;
  /** Notes a call without an answer, or with one that has no end. */
  silent(origin: string): void;
  /** The fastest response of the slowest target so far, in milliseconds: that of a busy one is fast. */
  latency(): number;
}

export function createHealth(): Health {
  const silences = new Map<string, number>();
  const fastest = new Map<string, number>();
  return {
    assertAlive(origin) {
      if ((silences.get(origin) ?? 0) < MOST_SILENT) return;
      throw new NetworkFault(`${origin} gave no answer ${MOST_SILENT} times in a row`, 'SILENT');
    },
    answered(origin, took) {
      silences.delete(origin);
      fastest.set(origin, Math.min(took, fastest.get(origin) ?? took));
    },
    silent: (origin) => void silences.set(origin, (silences.get(origin) ?? 0) + 1),
    latency: () => Math.max(0, ...fastest.values()),
  };
}
