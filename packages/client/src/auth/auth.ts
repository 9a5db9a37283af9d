/** What a signer sees of one try of a call. */
export interface SignableRequest {
  /** In capitals: `GET`, `POST`. */
  readonly method: string;
  /**
   * The address that the try goes to, path and query exactly as they are sent. It has no host where
   * `baseUrl` has none: it is relative to the page then, as in `fetch`.
   */
  readonly url: string;
  /**
   * Headers of the try by their names in small letters, as HTTP/2 writes them. A signer may add to
   * them; `authorization` is set from what it returns.
   */
  readonly headers: Record<Lowercase<string>, string>;
  /** What is given to `fetch`. A signer must not read a stream: it could not be sent any more. */
  readonly body: RequestInit['body'];
  /** Milliseconds since the epoch, corrected by the `Date` header of the server's last refusal. */
  readonly now: number;
}

/**
 * Puts credentials on calls of the gateway. What a method throws, or rejects with, ends each call that
 * waits for it, as it is; the next call asks again.
 *
 * @example
 * ```ts
 * const auth: GatewayAuth = { authorize: () => `Bearer ${readToken()}` };
 * ```
 */
export interface GatewayAuth {
  /** Gives the value of `Authorization` for this try, or `undefined` to send none. Called once for every try. */
  authorize(request: SignableRequest): string | undefined | Promise<string | undefined>;
  /**
   * Called after the gateway has refused a call with status 401, and after a WebSocket has not opened
   * on a platform that does not show why. Gives `true` where the next try has something new to send.
   * The client runs one refresh at a time, however many calls wait for it.
   *
   * @param refused value of `Authorization` that was sent; where another one is known by now, that is new
   */
  refresh?(refused?: string): Promise<boolean>;
}
