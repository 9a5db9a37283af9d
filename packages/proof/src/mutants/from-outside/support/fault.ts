import type { Hooks } from '../../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../../mutant.ts';

/** A mutant in one call: for faults that real gateways and stores have, many of which are a line long. */
export function fault(
  rule: string,
  breaks: string,
  create: Mutant['create'] | Hooks,
  companions: readonly string[] = [],
): Mutant {
  const hooksOf = typeof create === 'function' ? create : (_: MutantContext) => create;
  return { rule, breaks, companions, create: hooksOf };
}
