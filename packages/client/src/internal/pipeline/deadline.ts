import type { Timeouts } from '../../call-options.ts';
import { LONGEST_TIMER } from '../options.ts';

/** The time limits of one step of a call. */
export interface Step {
  /** The signal that aborts the step; created on demand. */
  signal(): AbortSignal;
  /** Sets the step's limit to this many milliseconds from now, instead of that of an attempt; 0: no limit. */
  extend(ms: number): void;
}

/** The limits of one call: the caller's signal and its timeouts. */
export interface Deadline {
  /** Runs a step until it ends, or until its time or that of the call passes. */
  step<T>(run: (step: Step) => Promise<T>): Promise<T>;
  /** Runs `before` and waits, within the time of the call. */
  pause(ms: number, before?: () => unknown): Promise<void>;
  /** Remaining milliseconds. */
  left(): number;
}

/**
 * Opens the limits of a call. Between steps, they hold no timer.
 *
 * @param toError creates the error of a passed limit, in milliseconds; required if there is a limit
 */
export function openDeadline(
  user: AbortSignal | undefined,
  { perTry = 0, total = 0 }: Timeouts = {},
  toError?: (ms: number) => Error,
): Deadline {
  const end = performance.now() + (total || Number.POSITIVE_INFINITY);
  const left = () => end - performance.now();

  const step: Deadline['step'] = (run) =>
    new Promise((resolve, reject) => {
      user?.throwIfAborted();
      if (left() <= 0) throw toError?.(total);
      const own = new AbortController();
      let tryTimer: ReturnType<typeof setTimeout> | undefined;
      const stop = (reason: unknown) => {
        close();
        reject(reason);
        // Whatever the step was doing, its connection is not reused.
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
    pause: (ms, before) =>
      step(async ({ signal, extend }) => {
        extend(0);
        await before?.();
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER));
          signal().addEventListener('abort', () => clearTimeout(timer));
        });
      }),
    left,
  };
}
