import { BerthError, isOfFamily } from './berth-error.ts';

/**
 * No answer came, or it broke off. Whether the call was executed is not known. `cause` holds what the
 * platform says, without credentials; its words differ from platform to platform.
 *
 * @example
 * await gateway.service('hello').get('status').catch((error) => {
 *   if (isNetworkError(error)) showOffline();
 *   else throw error;
 * });
 */
export class NetworkError extends BerthError {
  /** Always `NetworkError`. */
  override readonly name = 'NetworkError';
}

/**
 * Whether an error is a {@link NetworkError}, also of another copy of this package.
 *
 * @example
 * if (isNetworkError(error)) console.error(error.message, error.cause);
 */
export function isNetworkError(error: unknown): error is NetworkError {
  return isOfFamily(error, 'NetworkError');
}
