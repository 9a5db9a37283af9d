/** That there is no answer. */
export class Failure {
  readonly error: Error;
  /** Whether the service can have seen anything of the call. */
  readonly wasSent: boolean;
  /** Whether it began to answer. */
  readonly wasAnswered: boolean;

  constructor(error: Error, wasSent: boolean, wasAnswered: boolean) {
    this.error = error;
    this.wasSent = wasSent;
    this.wasAnswered = wasAnswered;
  }
}
