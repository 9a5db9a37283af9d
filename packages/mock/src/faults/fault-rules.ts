import type { SurfaceName } from '../contract/surface.ts';
import { CODES, type FaultRule } from './fault.ts';

export interface FaultSubject {
  readonly surface: SurfaceName;
  readonly operationId: string | undefined;
  readonly service: string | undefined;
}

/** Prefix of `match` in a rule that applies to a hosted service. */
export const SERVICE = 'service:';

/** The fault rules of a session. */
export class FaultRules {
  readonly #initial: readonly FaultRule[];
  readonly #rules = new Map<string, FaultRule>();

  constructor(initial: readonly FaultRule[] = []) {
    this.#initial = initial;
    this.reset();
  }

  /** Whether there are no rules; if so, calls need not be identified. */
  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  /** Returns the rules with their remaining `times`. */
  list(): readonly FaultRule[] {
    return [...this.#rules.values()];
  }

  /** Adds a rule, or replaces the rule with the same name. */
  put(rule: FaultRule): void {
    this.#rules.set(rule.name, rule);
  }

  delete(name: string): boolean {
    return this.#rules.delete(name);
  }

  /** Restores the initial rules. */
  reset(): void {
    this.#rules.clear();
    for (const rule of this.#initial) this.put(rule);
  }

  /** Returns the rules that apply to this call, and counts the call for `times`. */
  take(subject: FaultSubject): readonly FaultRule[] {
    const due = this.list().filter((rule) => isFor(rule, subject));
    for (const rule of due) {
      const { name, times } = rule;
      if (times === 1) this.#rules.delete(name);
      else if (times !== undefined) this.#rules.set(name, { ...rule, times: times - 1 });
    }
    return due;
  }
}

/**
 * Returns whether a rule matches a call. A rule with a `code` only matches on surfaces whose error table has
 * that code.
 */
function isFor({ match, fault }: FaultRule, subject: FaultSubject): boolean {
  const { surface, operationId, service } = subject;
  if (fault.code !== undefined && !CODES[surface].includes(fault.code)) return false;
  if (match === undefined || match === surface || match === operationId) return true;
  return service !== undefined && match === SERVICE + service;
}
