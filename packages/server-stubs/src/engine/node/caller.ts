/** The authenticated caller. */
export interface Caller {
  /** Environment that the credentials belong to, which is always that of the call (D15, D30). */
  readonly env: string;
  /** The `sub` claim of the token, or the ID of the key pair. */
  readonly id: string;
  /**
   * Verifies the body of a signed gateway call, whose SHA-256 the signature covers (D16). `undefined` if
   * there is nothing left to verify. Must be called before the hosted service is.
   *
   * @param bodyHash SHA-256 of the body in hex
   * @throws GatewayError INVALID_CREDENTIALS if the body was not signed
   */
  readonly verifyBody?: (bodyHash: string) => void;
}

/** Checks the time of signatures (D18). */
export interface Clock {
  /** Returns the time in milliseconds since the epoch. */
  now(): number;
  /** Returns why a time is rejected; `undefined` if it is within the window. */
  refusalOf(timestamp: number): string | undefined;
}

/**
 * Creates the clock that signatures are checked against. A signature is valid while its time is within
 * the window, no matter how often it is sent: processes share no state, so none of them could detect a
 * replay. Only TLS keeps others from obtaining a signature.
 *
 * @param windowSeconds maximum clock skew in either direction, in seconds
 * @param owner what the clock belongs to, for error messages
 */
export function createClock(now: () => number, windowSeconds: number, owner = 'server'): Clock {
  return {
    now,
    refusalOf(timestamp) {
      const time = Math.floor(now() / 1000);
      if (Math.abs(time - timestamp) <= windowSeconds) return undefined;
      // facts: "Wrong machine clocks are a common cause of refusals: say so …, with the server's time."
      const server = new Date(time * 1000).toISOString().replace('.000', '');
      return `The signature's timestamp differs by more than ${windowSeconds} s from the ${owner}'s clock, which is at ${time} (${server}): correct the clock of the machine that signs.`;
    },
  };
}
