import { TimeoutError } from '../errors/timeout-error.ts';
import { pathOf, type RememberedCall } from './calls.ts';

/** The error of a limit that passed, in milliseconds. */
export function timeoutFailure(
  { method, url }: Pick<RememberedCall, 'method' | 'url'>,
  what: string,
  timeout: number,
): TimeoutError {
  return new TimeoutError({ what: `${what} ${timeout} ms`, method, path: pathOf(url), timeout });
}
