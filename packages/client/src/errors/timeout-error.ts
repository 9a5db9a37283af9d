import { BerthError, isOfFamily } from './berth-error.ts';

/**
 * A time limit of the client passed. Whether the call was executed is not known. The gateway's own
 * timeout is a `GatewayError` with the code SERVICE_TIMEOUT.
 *
 * @example
 * await gateway.service('hello').get('report', { timeouts: { total: 5_000 } }).catch((error) => {
 *   if (isTimeoutError(error)) showTooSlow(error.timeout);
 *   else throw error;
 * });
 */
export class TimeoutError extends BerthError<{ readonly timeout: number }> {
  /** Always `TimeoutError`. */
  override readonly name = 'TimeoutError';
  /** The limit that passed, in milliseconds. */
  declare readonly timeout: number;
}

/**
 * Whether an error is a {@link TimeoutError}, also of another copy of this package.
 *
 * @example
 * if (isTimeoutError(error)) console.error(`Nothing came within ${error.timeout} ms`);
 */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isOfFamily(error, 'TimeoutError');
}
