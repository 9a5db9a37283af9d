import { ENGINES, type Engine, type Result } from '../result.ts';

const AREAS: Record<string, string> = {
  GW: 'Gateway',
  AU: 'Authentication',
  ST: 'Storage API',
  UP: 'Upload target',
  VR: 'Versions',
};

const ENGINE_TITLES: Record<Engine, string> = {
  rules: 'Rules',
  dredd: 'Documented responses (Dredd)',
  respect: 'Workflows (Respect)',
  document: 'OpenAPI documents',
};

/** Results that are shown together. */
interface Group {
  title: string;
  results: Result[];
}

/**
 * Compares results with an earlier report. A result that fails and is not in the earlier report counts as
 * newly failing.
 */
export function compare(earlier: Earlier, results: readonly Result[]): Comparison {
  const before = new Map(earlier.results.map(({ id, outcome }) => [id, outcome]));
  const ids = (outcome: Result['outcome'], wasFailing: boolean) =>
    results
      .filter((now) => now.outcome === outcome && (before.get(now.id) === 'fail') === wasFailing)
      .map(({ id }) => id);
  return {
    since: earlier.startedAt,
    newlyFailing: ids('fail', false),
    newlyPassing: ids('pass', true),
    stillFailing: ids('fail', true),
  };
}

/** Groups rule results by the part of the contract that they belong to. Transactions and workflows follow. */
export function toGroups(results: readonly Result[]): Group[] {
  const titleOf = ({ engine, id }: Result) =>
    engine === 'rules' ? (AREAS[id.slice(0, 2)] ?? ENGINE_TITLES.rules) : ENGINE_TITLES[engine];
  const titles = [...Object.values(AREAS), ...ENGINES.map((engine) => ENGINE_TITLES[engine])];
  return titles
    .map((title) => ({ title, results: results.filter((result) => titleOf(result) === title) }))
    .filter((group) => group.results.length > 0);
}

/** The changes since an earlier run, as result IDs. */
export interface Comparison {
  /** When the earlier run began, ISO 8601. */
  since: string;
  newlyFailing: string[];
  newlyPassing: string[];
  stillFailing: string[];
}

/** The part of an earlier report that a comparison needs. */
export interface Earlier {
  startedAt: string;
  results: Pick<Result, 'id' | 'outcome'>[];
}

/** The comparison of a run with a list of known failures. */
export interface Baseline {
  /** IDs of the results that failed as expected. */
  known: string[];
  /** Entries that passed, or that name no result: they must be removed from the list. */
  stale: string[];
}

/**
 * Returns whether a list of known failures covers a result: it contains the result's own ID or, for a
 * transaction or a workflow, the ID of a rule that the result is evidence for.
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
