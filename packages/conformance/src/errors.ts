/**
 * Thrown if the run cannot start, for example because of an invalid option, a missing response or a TLS
 * error. The message is one sentence for the user.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Ends a check, a transaction or a workflow, with an outcome that says nothing about the target. */
export abstract class NotRunError extends Error {
  abstract readonly outcome: 'disabled' | 'skip' | 'error';
}

/** Ends a check because its rule is about an optional feature that the target lacks. */
export class DisabledError extends NotRunError {
  readonly outcome = 'disabled';
}

/** Ends a check whose setup failed. Another rule covers the failed step. */
export class SkipError extends NotRunError {
  readonly outcome = 'skip';
}
