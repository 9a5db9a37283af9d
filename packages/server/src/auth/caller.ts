/** Who a call comes from. */
export interface Caller {
  /** Environment that the credentials belong to; always that of the call (D15, D30). */
  readonly env: string;
  /** `sub` of a token, or the id of a key pair. */
  readonly id: string;
  /**
   * Judges the body of a signed gateway call, whose SHA-256 the signature covers (D16); undefined where
   * nothing is left to judge. Must be called before the hosted service is.
   *
   * @param bodyHash SHA-256 of the body in hex
   * @throws GatewayError INVALID_CREDENTIALS
   */
  readonly verifyBody?: (bodyHash: string) => void;
}
