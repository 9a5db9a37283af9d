import type { FaultRule, FaultRules } from './fault.ts';
import { parseFaultFlag, toFaultRule } from './parse-fault.ts';

export interface SessionFaults {
  list(): readonly FaultRule[];
  /**
   * Adds a rule, or replaces the rule with this name.
   *
   * @param rule an object, or a string in the format of `--fault`: `batchDelete:code=SYS_ERR,times=2`
   */
  put(name: string, rule: Omit<FaultRule, 'name'> | string): FaultRule;
  /** Removes a rule. Returns whether it existed. */
  delete(name: string): boolean;
}

/** @param rules returns the rules of the session, which may have started over */
export function createSessionFaults(rules: () => FaultRules): SessionFaults {
  return {
    list: () => rules().list(),
    put(name, given) {
      const rule =
        typeof given === 'string' ? parseFaultFlag(name, given) : toFaultRule(name, given);
      rules().put(rule);
      return rule;
    },
    delete: (name) => rules().delete(name),
  };
}
