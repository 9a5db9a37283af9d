import type { RememberedCall } from './calls.ts';
import { networkFailure } from './pipeline/network-failure.ts';
import { timeoutFailure } from './timeout-failure.ts';

/**
 * The error of a transfer whose connection failed, or, without a cause, in which nothing moved for
 * `timeout` milliseconds.
 */
export function transferFailure(
  call: Omit<RememberedCall, 'upstreamStatus'>,
  what: string,
  timeout: number,
  cause: unknown,
): Error {
  if (cause !== undefined) return networkFailure(call, cause, what);
  return timeoutFailure(call, `${what}: nothing moved for`, timeout);
}
