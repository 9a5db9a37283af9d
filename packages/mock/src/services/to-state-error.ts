import { GatewayError } from '@berth/server-stubs';
import type { ServiceState } from './service-states.ts';

/**
 * The error that a service's state answers with. A code that is worth a repeat asks for one when the state
 * ends.
 */
export function toStateError({ code, until }: ServiceState, now: number): GatewayError {
  const error = new GatewayError(code);
  if (until === undefined || error.retryAfter === undefined) return error;
  return new GatewayError(code, { retryAfter: Math.max(1, Math.ceil((until - now) / 1_000)) });
}
