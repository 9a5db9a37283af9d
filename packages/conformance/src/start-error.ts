/** The run could not start: bad options, no answer, TLS. The message is one sentence for people. */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** The option that is at fault; the message begins with it. */
  readonly option: string | undefined;

  constructor(message: string, option?: string) {
    super(message);
    this.option = option;
  }
}
