import { GatewayError, type GatewayErrorCode } from '@berth/server-stubs';
import type { Caller } from '../auth/caller.ts';
import type { Service, ServiceState } from './service-registry.ts';

const CODES: Readonly<Record<Exclude<ServiceState, 'ready'>, GatewayErrorCode>> = {
  'not-ready': 'SERVICE_NOT_READY',
  forbidden: 'SERVICE_FORBIDDEN',
  overdue: 'SERVICE_CHARGE_OVERDUE',
};

/**
 * Refuses a caller that may not call the service, and a service that cannot be called. The caller first:
 * the state of a service is nothing that others need to know.
 *
 * @throws GatewayError SERVICE_FORBIDDEN, SERVICE_NOT_READY, SERVICE_CHARGE_OVERDUE
 */
export function assertCallable({ callers, state }: Service, caller: Caller): void {
  if (callers !== undefined && !callers.has(caller.id)) throw new GatewayError('SERVICE_FORBIDDEN');
  if (state !== 'ready') throw new GatewayError(CODES[state]);
}
