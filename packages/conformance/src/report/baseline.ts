import type { Result } from '../result.ts';

/** What a list of known failures has to do with a run. */
export interface Baseline {
  /** Ids of the results that failed as they were known to. */
  known: string[];
  /** Entries that passed, or that name no result: they must leave the list. */
  stale: string[];
}

/**
 * Whether a list of known failures covers a result: it names the result itself, or, for a transaction
 * or a workflow, a rule that the result is evidence for.
 */
export function isKnown({ engine, id, rules }: Result, baseline: readonly string[]): boolean {
  return (
    baseline.includes(id) || (engine !== 'rules' && rules.some((rule) => baseline.includes(rule)))
  );
}

export function toBaseline(results: readonly Result[], baseline: readonly string[]): Baseline {
  const outcomes = new Map(results.map(({ id, outcome }) => [id, outcome]));
  const isStale = (id: string) => !outcomes.has(id) || outcomes.get(id) === 'pass';
  const failed = results.filter(({ outcome }) => outcome === 'fail');
  return {
    known: failed.filter((result) => isKnown(result, baseline)).map(({ id }) => id),
    stale: baseline.filter(isStale),
  };
}
