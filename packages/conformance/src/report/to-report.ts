import type { Api } from '../contract/openapi.ts';
import { rules } from '../contract/rules.ts';
import type { KnownFailure, Settings } from '../options.ts';
import { ENGINES, OUTCOMES, type Outcome, type Result } from '../result.ts';
import { type Baseline, isKnown, isStale, listAccepted, toBaseline } from './baseline.ts';

const PLACES = new Map(rules.map(({ id }, index) => [id, index]));

/** Sorts results in contract order: rules first, then transactions and workflows by name. */
function sortResults(results: readonly Result[]): Result[] {
  const place = ({ id }: Result) => PLACES.get(id) ?? PLACES.size;
  return results.toSorted(
    (a, b) =>
      ENGINES.indexOf(a.engine) - ENGINES.indexOf(b.engine) ||
      place(a) - place(b) ||
      a.id.localeCompare(b.id, 'en'),
  );
}

/** The report on a run, with its results and its exit code. */
export interface Report {
  targets: { api: Api; url: string; contract: string; version: string }[];
  /** Seed for the generated requests. */
  seed: number;
  /** When the run began, ISO 8601, and how long it took. */
  startedAt: string;
  durationMs: number;
  /** Deviations that the operator has declared: `flat responses`. */
  declared: string[];
  /** Paths that the run stored and could not remove. */
  leftovers: string[];
  summary: Record<Outcome, number> & {
    /** Skipped MUST checks, which leave the run incomplete. */
    incomplete: number;
  };
  baseline: Baseline;
  /**
   * 1 if a MUST failed that is not in the baseline, or the baseline is stale; otherwise 4 if a MUST ended
   * in an error; otherwise 3 if a MUST was skipped; otherwise 0.
   */
  exitCode: 0 | 1 | 3 | 4;
  results: Result[];
}

/** Returns the summary of all results, their comparison with the known failures, and the exit code. */
export function toVerdict(
  results: readonly Result[],
  entries: readonly KnownFailure[],
  now: Date,
): Pick<Report, 'summary' | 'baseline' | 'exitCode'> {
  const baseline = toBaseline(results, entries, now);
  const accepted = listAccepted(entries, now);
  const deciding = results.filter(
    (result) => result.outcome !== 'fail' || !isKnown(result, accepted),
  );
  const exitCode = isStale(baseline) ? 1 : toExitCode(deciding);
  return { summary: toCounts(results), baseline, exitCode };
}

function toCounts(results: readonly Result[]): Report['summary'] {
  const count = (outcome: Outcome) => results.filter((r) => r.outcome === outcome).length;
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)]));
  const incomplete = results.filter(({ outcome, level }) => outcome === 'skip' && level === 'must');
  return { ...(counts as Record<Outcome, number>), incomplete: incomplete.length };
}

/** Returns the exit code. Failures of SHOULD rules do not count. */
function toExitCode(results: readonly Result[]): Report['exitCode'] {
  const outcomes = new Set(
    results.filter(({ level }) => level === 'must').map(({ outcome }) => outcome),
  );
  if (outcomes.has('fail')) return 1;
  if (outcomes.has('error')) return 4;
  return outcomes.has('skip') ? 3 : 0;
}

export function createReport(
  settings: Settings,
  started: Date,
  results: readonly Result[],
  more: Pick<Report, 'targets' | 'seed' | 'leftovers'>,
): Report {
  const { wireProfile, maxAgeUnit } = settings;
  return {
    startedAt: started.toISOString(),
    durationMs: Date.now() - started.getTime(),
    declared: [
      ...(wireProfile.envelope === 'flat' ? ['flat responses'] : []),
      ...(maxAgeUnit === 's' ? [] : [`--max-age-unit ${maxAgeUnit}`]),
    ],
    ...toVerdict(results, settings.baseline, started),
    ...more,
    results: sortResults(results),
  };
}
