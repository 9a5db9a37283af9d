import type { DueFault } from './fault-rules.ts';
import type { FaultedCall } from './faulted-call.ts';
import { parseFault } from './parse-fault.ts';
import { toHeaderFault } from './to-header-fault.ts';

/** Request header that asks for a fault of one call, in the compact form. */
export const FAULT_HEADER = 'X-Mock-Fault';

const HEADER = FAULT_HEADER.toLowerCase();
const NONE: readonly DueFault[] = [];

/**
 * The faults that are to be done to a call: those of its session, then the one of its header. A preflight
 * has none, for then a browser would not send the call that is meant.
 *
 * @throws FieldError for a bad header
 */
export function dueFaults({ request, rules, subject }: FaultedCall): readonly DueFault[] {
  const asked = request.headers[HEADER];
  if ((asked === undefined && rules.isEmpty) || request.method === 'OPTIONS') return NONE;
  const call = subject();
  // A bad header is told before a rule is counted.
  const own = asked === undefined ? undefined : toHeaderFault(parseFault(String(asked)), call);
  const due = rules.take(call);
  return own === undefined ? due : [...due, rules.draw(FAULT_HEADER, own)];
}
