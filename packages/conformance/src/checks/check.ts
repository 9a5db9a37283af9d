import type { CheckContext } from '../context/check-context.ts';
import type { Need } from '../context/skip-reason.ts';
import type { RuleId } from '../generated/rule-ids.gen.ts';

export interface Check {
  rule: RuleId;
  needs: readonly Need[];
  run: (context: CheckContext) => Promise<void>;
  /** Whether it waits for seconds. Such checks start first. */
  waits?: boolean;
  /** The checks whose calls it looks at, see `CheckContext.share`. */
  shares?: readonly RuleId[];
}

/** Defines the check for one rule. The checks for a topic are listed in one table. */
export function defineCheck(
  rule: RuleId,
  needs: readonly Need[],
  run: (context: CheckContext) => Promise<void>,
  more: Pick<Check, 'waits' | 'shares'> = {},
): Check {
  return { rule, needs, run, ...more };
}
