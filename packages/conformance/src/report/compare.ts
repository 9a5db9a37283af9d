import type { Result } from '../result.ts';

/** What has changed since an earlier run, as ids of results. */
export interface Comparison {
  /** When the earlier run began, ISO 8601. */
  since: string;
  newlyFailing: string[];
  newlyPassing: string[];
  stillFailing: string[];
}

/** The part of an earlier report that is compared. */
export interface Earlier {
  startedAt: string;
  results: Pick<Result, 'id' | 'outcome'>[];
}

/** A result that the earlier report does not have, and that fails now, counts as newly failing. */
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
