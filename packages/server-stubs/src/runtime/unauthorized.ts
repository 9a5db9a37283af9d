/**
 * Thrown by a security handler that knows why it refuses the caller; `undefined`, `null` or `false` as
 * the principal refuses without a reason. Answered with 401 unless another alternative lets the caller
 * in.
 */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized';
  /** `WWW-Authenticate` of the answer (RFC 9110, section 11.6.1); default: one per scheme asked. */
  readonly challenge: string | undefined;

  /** @param message sentence for the caller; default `The credentials were refused.` */
  constructor(message = 'The credentials were refused.', challenge?: string) {
    super(message);
    this.challenge = challenge;
  }
}
