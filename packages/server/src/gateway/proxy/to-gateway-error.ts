import { GatewayError } from '@berth/server-stubs';
import type { Failure } from './failure.ts';
import { isRefusedInput } from './is-refused-input.ts';

/**
 * An error of the gateway's own, in place of a call that failed before its answer began.
 *
 * @param areAllOut whether no endpoint of the version is in any more
 */
export function toGatewayError({ error, wasSent }: Failure, areAllOut: boolean): Error {
  if (error instanceof GatewayError) return error;
  const cause = error;
  if (!wasSent && isRefusedInput(error)) {
    const message = 'The request cannot be passed on as it is.';
    return new GatewayError('INVALID_REQUEST', { message, cause });
  }
  if (!wasSent && areAllOut) return new GatewayError('SERVICE_LB_STATUS_ABNORMAL', { cause });
  return new GatewayError('BAD_GATEWAY', { cause });
}
