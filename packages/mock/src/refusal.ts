export interface RefusalOptions {
  /** Status of the answer, where it is not the one of the code's row. */
  status?: number;
  headers?: Record<string, string>;
}

/**
 * Ends a call with an error of the contract. Each surface turns it into its own shape; the status
 * and the text come from the error table unless they are given here.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly status: number | undefined;
  readonly headers: Record<string, string>;

  /**
   * @param code a code of the surface's error table
   * @param message what is wrong and how to mend it, without anything secret; by default the text of the table
   */
  constructor(code: string, message = '', { status, headers = {} }: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}
