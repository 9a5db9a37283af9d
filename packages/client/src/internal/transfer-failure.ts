import { TimeoutError } from '../errors/timeout-error.ts';
import { pathOf, type RememberedCall } from './calls.ts';
import { networkFailure } from './pipeline/network-failure.ts';

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
  const { method, url } = call;
  const subject = `${what}: nothing moved for ${timeout} ms`;
  return new TimeoutError({ what: subject, method, path: pathOf(url), timeout });
}
