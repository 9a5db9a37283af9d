import { FieldError } from '../field-error.ts';
import { CODES } from './codes.ts';
import type { Fault } from './fault.ts';
import type { FaultSubject } from './fault-rules.ts';

/**
 * Holds a fault of one call against what one call can have.
 *
 * @throws FieldError for a code of another surface, and for `callsPerSecond`
 */
export function toHeaderFault(fault: Fault, { surface }: FaultSubject): Fault {
  const { code, callsPerSecond } = fault;
  if (code !== undefined && !CODES[surface].includes(code)) {
    throw new FieldError('code', `must be one that ${surface} has: ${CODES[surface].join(', ')}.`);
  }
  if (callsPerSecond !== undefined) {
    throw new FieldError('callsPerSecond', 'counts calls: make a rule, by --fault or the API.');
  }
  return fault;
}
