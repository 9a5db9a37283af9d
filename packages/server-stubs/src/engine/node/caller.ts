/** The authenticated caller of a call. */
export interface Caller {
  /** Environment that the credentials belong to; always that of the call (D15, D30). */
  readonly env: string;
  /** `sub` of a token, or the id of a key pair. */
  readonly id: string;
  /**
   * Verifies the body of a signed gateway call, whose SHA-256 the signature covers (D16); undefined if
   * nothing is left to verify. Must be called before the hosted service is.
   *
   * @param bodyHash SHA-256 of the body in hex
   * @throws GatewayError INVALID_CREDENTIALS
   */
  readonly verifyBody?: (bodyHash: string) => void;
}

/** Checks the time of a signature (D18). */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Why a time is refused; undefined if it is within the window. */
  refusalOf(timestamp: number): string | undefined;
}

/**
 * Creates the clock that signatures are checked against. A signature is valid as long as its time is
 * within the window, however often it is sent: processes share no state that could detect a replay. Only
 * TLS prevents others from obtaining one.
 *
 * @param windowSeconds how far a time may be off either way
 * @param owner whose clock it is, for the message
 */
export function createClock(now: () => number, windowSeconds: number, owner = 'server'): Clock {
  return {
    now,
    refusalOf(timestamp) {
      const time = Math.floor(now() / 1000);
      if (Math.abs(time - timestamp) <= windowSeconds) return undefined;
      // facts: "Wrong machine clocks are a common cause of refusals: say so …, with the server's time."
      const server = new Date(time * 1000).toISOString().replace('.000', '');
      return `The time of the signature is more than ${windowSeconds} s off: the ${owner}'s time is ${time} (${server}). Set the clock of the machine that signs.`;
    },
  };
}
