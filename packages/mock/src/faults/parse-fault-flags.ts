import type { FaultRule } from './fault.ts';
import { parseFields } from './parse-fault.ts';
import { toFaultRule } from './to-fault-rule.ts';

/**
 * Reads the values of `--fault`: `<match>:<compact>`, or the compact form alone for every call. The
 * compact form may have `share` and `times` too. The rules are called `fault-1`, `fault-2`, ….
 *
 * @throws FieldError that names the field and what it must be
 * @example
 * parseFaultFlags(['batchDelete:code=SYS_ERR,times=2', 'service:hello:latency=200~50', 'reset,share=0.1']);
 */
export function parseFaultFlags(flags: readonly string[]): FaultRule[] {
  return flags.map((flag, index) => {
    // A service has a colon of its own; the compact form has none.
    const colon = flag.lastIndexOf(':');
    const match = colon < 0 ? undefined : flag.slice(0, colon);
    const { share, times, ...fault } = parseFields(flag.slice(colon + 1));
    return toFaultRule(`fault-${index + 1}`, { match, share, times, fault });
  });
}
