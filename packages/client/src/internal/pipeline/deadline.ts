import type { Timeouts } from '../../call-options.ts';
import { guard } from './guard.ts';

/** What one try, or one wait, sees of the limits. */
interface Step {
  /** Ends what the step does. */
  readonly signal: AbortSignal;
  /** Lifts the limit of a try; the total time still counts. */
  lift(): void;
}

/** The limits of one call: the caller's signal, and its times. */
export interface Deadline {
  /** Runs a step within the time of one try, until it lifts that. */
  step<T>(run: (step: Step) => Promise<T>): Promise<T>;
  /** Runs what is more than one step. */
  over<T>(work: Promise<T>): Promise<T>;
  /** Milliseconds that are left. */
  left(): number;
  /** Ends the total time, not what is under way. */
  close(): void;
}

/**
 * Opens the limits of a call. A body that comes with the answer of a step ends with the total time as
 * well, until the limits are closed.
 *
 * @param toError makes the reason of a limit that passed, in milliseconds
 */
export function openDeadline(
  user: AbortSignal | undefined,
  { perTry, total }: Timeouts,
  toError: (ms: number) => Error,
): Deadline {
  const end = performance.now() + (total || Number.POSITIVE_INFINITY);
  const whole = new AbortController();
  let current = whole;
  const timer = after(total, (ms) => {
    whole.abort(toError(ms));
    current.abort(whole.signal.reason);
  });
  return {
    async step(run) {
      user?.throwIfAborted();
      whole.signal.throwIfAborted();
      const own = new AbortController();
      current = own;
      const limit = after(perTry, (ms) => own.abort(toError(ms)));
      const lift = () => clearTimeout(limit);
      const signal = user ? AbortSignal.any([user, own.signal]) : own.signal;
      try {
        return await guard(run({ signal, lift }), signal);
      } catch (error) {
        // Whatever the step was at, its connection is not kept.
        own.abort(error);
        throw error;
      } finally {
        lift();
      }
    },
    over: (work) => guard(work, user, whole.signal),
    left: () => end - performance.now(),
    close: () => clearTimeout(timer),
  };
}

/** The longest time in milliseconds that a timer knows; more would pass at once. */
export const LONGEST = 2 ** 31 - 1;

function after(ms: number | undefined, run: (ms: number) => void) {
  return ms && ms <= LONGEST ? setTimeout(run, ms, ms) : undefined;
}
