import type { Timeouts } from '../../call-options.ts';
import { LONGEST_TIMER } from '../options.ts';

/** What one step of a call sees of its limits. */
export interface Step {
  /** Gives what ends the step, and what it leaves behind: made where it is asked for. */
  signal(): AbortSignal;
  /** Gives the step so many milliseconds from now, in place of the time of a try; 0 is without end. */
  extend(ms: number): void;
}

/** The limits of one call: the caller's signal, and its times. */
export interface Deadline {
  /** Runs a step until it ends, its time passes, or that of the whole call. */
  step<T>(run: (step: Step) => Promise<T>): Promise<T>;
  /** Tells of a wait of so many milliseconds, and waits, within the time of the whole call. */
  pause(ms: number, tell?: () => unknown): Promise<void>;
  /** Milliseconds that are left. */
  left(): number;
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * Opens the limits of a call. They hold nothing while no step is under way.
 *
 * One timer watches both times, for calls are many, and those that come to a limit few: when it fires,
 * it looks at what is left by then.
 *
 * @param toError makes the reason of a limit that passed, in milliseconds; give one where there is a limit
 */
export function openDeadline(
  user: AbortSignal | undefined,
  { perTry = 0, total = 0 }: Timeouts = {},
  toError?: (ms: number) => Error,
): Deadline {
  const end = performance.now() + (total || NEVER);
  const step: Deadline['step'] = (run) =>
    new Promise((resolve, reject) => {
      user?.throwIfAborted();
      const own = new AbortController();
      let timer: ReturnType<typeof setTimeout> | undefined;
      let tryEnd: number;
      const extend = (ms: number) => {
        tryEnd = performance.now() + (ms || NEVER);
      };
      const onAbort = () => stop(user?.reason);
      const close = () => {
        clearTimeout(timer);
        user?.removeEventListener('abort', onAbort);
      };
      const stop = (reason: unknown) => {
        close();
        reject(reason);
        // Whatever the step was at, its connection is not kept.
        own.abort(reason);
      };
      const watch = () => {
        const now = performance.now();
        if (now >= end) stop(toError?.(total));
        else if (now >= tryEnd) stop(toError?.(perTry));
        else timer = setTimeout(watch, Math.min(tryEnd - now, end - now, LONGEST_TIMER));
      };
      extend(perTry);
      watch();
      if (own.signal.aborted) return;
      user?.addEventListener('abort', onAbort);
      const signal = () => (user ? AbortSignal.any([user, own.signal]) : own.signal);
      run({ signal, extend }).then((value) => {
        close();
        resolve(value);
      }, stop);
    });
  return {
    step,
    pause: (ms, tell) =>
      step(async ({ signal, extend }) => {
        extend(0);
        await tell?.();
        await new Promise<void>((ended) => {
          const wait = setTimeout(ended, Math.min(ms, LONGEST_TIMER));
          signal().addEventListener('abort', () => clearTimeout(wait));
        });
      }),
    left: () => end - performance.now(),
  };
}
