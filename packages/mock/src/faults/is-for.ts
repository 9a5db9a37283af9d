import { CODES } from './codes.ts';
import type { FaultRule } from './fault.ts';
import type { FaultSubject } from './fault-rules.ts';

/** How the `match` of a rule names a hosted service. */
export const SERVICE = 'service:';

/** Whether a rule is for a call. One with a `code` is for the surfaces whose table has it. */
export function isFor({ match, fault }: FaultRule, subject: FaultSubject): boolean {
  const { surface, operationId, service } = subject;
  if (fault.code !== undefined && !CODES[surface].includes(fault.code)) return false;
  if (match === undefined || match === surface || match === operationId) return true;
  return service !== undefined && match === SERVICE + service;
}
