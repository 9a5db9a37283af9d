/**
 * Thrown if the run cannot start, for example because of an invalid option, a missing response or a TLS
 * error. The message is one sentence for the user.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * Why something did not run, or not to its end:
 *
 * - `disabled`: the operator left it out or did not provide what it needs, in which case the reason names the option; or
 *   the target lacks the optional feature that it is about
 * - `skip`: it was asked for, but something that it needs failed, so that the run proves nothing about it
 * - `error`: the suite or the network is at fault, never the target
 */
export interface NotRun {
  outcome: 'disabled' | 'skip' | 'error';
  reason: string;
}

export const disabled = (reason: string): NotRun => ({ outcome: 'disabled', reason });
export const skipped = (reason: string): NotRun => ({ outcome: 'skip', reason });

export abstract class NotRunError extends Error {
  abstract readonly outcome: NotRun['outcome'];
}

/** Ends a check because its rule is about an optional feature that the target lacks. */
export class DisabledError extends NotRunError {
  readonly outcome = 'disabled';
}

/** Ends a check whose setup failed. Another rule covers the failed step. */
export class SkipError extends NotRunError {
  readonly outcome = 'skip';
}

/** @param signal of the run; once it has aborted, that is the cause of any error */
export function toNotRun(error: unknown, signal: AbortSignal): NotRun {
  if (signal.aborted) return skipped(String(signal.reason));
  if (error instanceof NotRunError) return { outcome: error.outcome, reason: error.message };
  return { outcome: 'error', reason: `bug in the suite: ${(error as Error).stack ?? error}` };
}
