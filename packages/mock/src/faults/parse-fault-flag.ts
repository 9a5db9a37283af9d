import type { FaultRule } from './fault.ts';
import { parseFields } from './parse-fault.ts';
import { toFaultRule } from './to-fault-rule.ts';

/**
 * Reads the value of `--fault`: `<match>:<compact>`, or the compact form alone for every call. Here the
 * compact form may have `share` and `times` too.
 *
 * @throws FieldError that names the field and what it must be
 * @example
 * parseFaultFlag('fault-1', 'service:hello:latency=200~50,share=0.5');
 * // { name: 'fault-1', match: 'service:hello', share: 0.5, fault: { latency: { mean: 200, deviation: 50 } } }
 */
export function parseFaultFlag(name: string, flag: string): FaultRule {
  // A service has a colon of its own; the compact form has none.
  const colon = flag.lastIndexOf(':');
  const match = colon < 0 ? undefined : flag.slice(0, colon);
  const { share, times, ...fault } = parseFields(flag.slice(colon + 1));
  return toFaultRule(name, { match, share, times, fault });
}
