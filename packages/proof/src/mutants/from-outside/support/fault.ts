import type { RuleId } from '../../../../../conformance/src/generated/rule-ids.gen.ts';
import type { Hooks } from '../../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../../mutant.ts';

/** A mutant in one call: for faults that real gateways and stores have, many of which are a line long. */
export function fault(
  rule: RuleId,
  breaks: string,
  create: Mutant['create'] | Hooks,
  companions: readonly RuleId[] = [],
): Mutant {
  const hooksOf = typeof create === 'function' ? create : (_: MutantContext) => create;
  return { rule, breaks, companions, create: hooksOf };
}
