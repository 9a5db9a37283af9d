/**
 * Thrown if the run cannot start, for example because of an invalid option, a missing response or a TLS
 * error. The message is one sentence for the user.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** An option is missing or invalid. `--help` describes all of them. */
export class OptionError extends StartError {}

/**
 * Why a check, a transaction or a workflow did not run, or did not finish. It says nothing about the target. With the
 * outcome `error`, the suite or the network is at fault.
 */
export class NotRunError extends Error {
  readonly outcome: 'disabled' | 'skip' | 'error' = 'error';
}

/** Not selected, missing an option (which the message names), or about a feature that the target lacks. */
export class DisabledError extends NotRunError {
  override readonly outcome = 'disabled';
}

/** Skipped because a prerequisite failed, which another rule reports. */
export class SkipError extends NotRunError {
  override readonly outcome = 'skip';
}
