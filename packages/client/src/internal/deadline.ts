import type { Timeouts } from '../call-options.ts';
import { LONGEST_TIMER } from './options.ts';

/** Time limits for one step of a call. */
export interface Step {
  /** Returns the signal that aborts the step. Created on demand. */
  signal(): AbortSignal;
  /** Replaces the limit of the step with one that starts now, in milliseconds. 0 means no limit. */
  extend(ms: number): void;
}

export type Deadline = ReturnType<typeof openDeadline>;

/**
 * Starts the time limits of a call. No timer runs between steps.
 *
 * @param toError creates the error for an exceeded limit, given in milliseconds; required if there is a limit
 */
export function openDeadline(
  user: AbortSignal | undefined,
  { perTry = 0, total = 0 }: Timeouts = {},
  toError?: (ms: number) => Error,
) {
  const end = performance.now() + (total || Number.POSITIVE_INFINITY);
  /** Returns the remaining time in milliseconds. */
  const left = () => end - performance.now();

  /** Runs a step until it ends, or until its limit or that of the call is exceeded. */
  const step = <T>(run: (step: Step) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      user?.throwIfAborted();
      if (left() <= 0) throw toError?.(total);
      const own = new AbortController();
      let tryTimer: ReturnType<typeof setTimeout> | undefined;
      const stop = (reason: unknown) => {
        close();
        reject(reason);
        // The connection may be in any state, so do not reuse it.
        own.abort(reason);
      };
      const startTimer = (ms: number, limit: number) =>
        setTimeout(() => stop(toError?.(limit)), Math.min(ms, LONGEST_TIMER));
      const extend = (ms: number) => {
        clearTimeout(tryTimer);
        tryTimer = ms ? startTimer(ms, perTry) : undefined;
      };
      const onAbort = () => stop(user?.reason);
      const totalTimer = total ? startTimer(left(), total) : undefined;
      const close = () => {
        clearTimeout(tryTimer);
        clearTimeout(totalTimer);
        user?.removeEventListener('abort', onAbort);
      };
      extend(perTry);
      user?.addEventListener('abort', onAbort);
      const signal = () => (user ? AbortSignal.any([user, own.signal]) : own.signal);
      run({ signal, extend }).then((value) => {
        close();
        resolve(value);
      }, stop);
    });

  return {
    step,
    /** Waits, within the time limit of the call. */
    pause: (ms: number) =>
      step(async ({ signal, extend }) => {
        extend(0);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER));
          signal().addEventListener('abort', () => clearTimeout(timer));
        });
      }),
    left,
  };
}
