import { CODES } from '../faults/codes.ts';
import { FieldError } from '../field-error.ts';
import { nearest } from '../nearest.ts';
import { READY, type ServiceState, type ServiceStates } from '../services/service-states.ts';
import type { ServiceStateJson } from './session-snapshot.ts';

export function toStateJson({ code, until }: ServiceState): ServiceStateJson {
  return { code, ...(until !== undefined && { until: new Date(until).toISOString() }) };
}

export function toStatesJson(states: ServiceStates): Record<string, ServiceStateJson> {
  return Object.fromEntries(
    Object.entries(states.list()).map(([name, state]) => [name, toStateJson(state)]),
  );
}

const STATES = [READY, ...CODES.gateway];

/** @throws FieldError for what is no code of the gateway's error table, and not `READY` */
export function assertStateCode(code: unknown, field: string): asserts code is string {
  if (typeof code === 'string' && STATES.includes(code)) return;
  const near = typeof code === 'string' ? nearest(code, STATES) : undefined;
  throw new FieldError(
    field,
    `must be READY or a code of the gateway, such as SERVICE_NOT_READY.${near === undefined ? '' : ` Do you mean ${near}?`}`,
  );
}
