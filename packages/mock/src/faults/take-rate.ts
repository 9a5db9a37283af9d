import type { RateState } from './fault-rules.ts';

/** What sums of fractions may be off by, so that who waited as long as told is let in. */
const ROUNDING = 1e-6;

/**
 * Asks for one call of so many by second: a bucket that holds those of one second, at least one call.
 *
 * @param state undefined before the first call
 * @param now milliseconds
 * @returns the state after it, and the whole seconds to wait where the call is one too many
 */
export function takeRate(
  callsPerSecond: number,
  state: RateState | undefined,
  now: number,
): { state: RateState; retryAfter: number | undefined } {
  const most = Math.max(callsPerSecond, 1);
  // A clock that was set back begins a new second.
  const known = state !== undefined && state.at <= now ? state : { calls: most, at: now };
  const calls = Math.min(most, known.calls + ((now - known.at) / 1000) * callsPerSecond);
  if (calls >= 1 - ROUNDING) return { state: { calls: calls - 1, at: now }, retryAfter: undefined };
  const seconds = (1 - calls) / callsPerSecond;
  return { state: { calls, at: now }, retryAfter: Math.max(1, Math.ceil(seconds - ROUNDING)) };
}
