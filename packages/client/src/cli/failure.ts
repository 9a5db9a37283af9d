/** What ends a command, told in one sentence. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: 1 | 2;

  /** @param exitCode 1 where the work failed, 2 where it could not begin */
  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Why work ended that the user stopped. */
export const STOPPED = new Failure('Stopped.', 1);
