import type { KnownFailure } from '../options.ts';
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
};

/** Results that are shown together. */
interface Group {
  title: string;
  results: Result[];
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

/** The comparison of a run with a list of known failures. */
export interface Baseline {
  /** IDs of the results that failed as expected. */
  known: string[];
  /** IDs of entries that passed, or that name no result: they must be removed from the list. */
  stale: string[];
  /** IDs of entries that have expired. */
  expired: string[];
  /** Why entries are accepted, by ID. */
  reasons: Record<string, string>;
}

/** Returns whether the list of known failures must be changed. If so, the run fails. */
export function isStale({ stale, expired }: Baseline): boolean {
  return stale.length + expired.length > 0;
}

/** Returns the ID of a result with the reason why its failure is accepted: `GW-C1 (ticket 7)`. */
export function withReason(id: string, { reasons }: Baseline): string {
  return reasons[id] === undefined ? id : `${id} (${reasons[id]})`;
}

export function listAccepted(entries: readonly KnownFailure[], now: Date): string[] {
  return entries.filter((entry) => !hasExpired(entry, now)).map(({ id }) => id);
}

function hasExpired({ expires }: KnownFailure, now: Date): boolean {
  return expires !== undefined && expires < now.toISOString().slice(0, 'yyyy-mm-dd'.length);
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

/**
 * Compares results with the list of known failures. The day of the run decides which entries have expired.
 */
export function toBaseline(
  results: readonly Result[],
  entries: readonly KnownFailure[],
  now: Date,
): Baseline {
  const outcomes = new Map(results.map(({ id, outcome }) => [id, outcome]));
  const accepted = listAccepted(entries, now);
  const failed = results.filter(({ outcome }) => outcome === 'fail');
  return {
    known: failed.filter((result) => isKnown(result, accepted)).map(({ id }) => id),
    stale: accepted.filter((id) => !outcomes.has(id) || outcomes.get(id) === 'pass'),
    expired: entries.filter((entry) => hasExpired(entry, now)).map(({ id }) => id),
    reasons: Object.fromEntries(
      entries.flatMap(({ id, reason }) => (reason ? [[id, reason]] : [])),
    ),
  };
}
