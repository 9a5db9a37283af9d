import { catalog } from '../contract/catalog.ts';
import type { Api } from '../contract/openapi.ts';
import { listViolated } from '../contract/rules.ts';
import type { KnownFailure, Settings } from '../options.ts';
import { OUTCOMES, type Outcome, type Result } from '../result.ts';

/** The report on a run, with its results and its exit code. */
export interface Report {
  targets: { api: Api; url: string; contract: string; version: string }[];
  seed: number;
  /** When the run began, ISO 8601, and how long it took. */
  startedAt: string;
  durationMs: number;
  calls: number;
  leftovers: string[];
  summary: Record<Outcome, number> & {
    /** Number of rules, and of those that passed or failed. */
    rules: number;
    checkedRules: number;
  };
  known: {
    /** Results that failed as expected, with the reason why that is accepted. */
    failures: { id: string; reason?: string }[];
    /** Entries that no longer fail: they must be removed from the list. */
    stale: string[];
    expired: string[];
    /** Sentences of failed MUSTs that were skipped or ended with an error, and that no entry covers. */
    unfinished: string[];
  };
  /** What `exitCode` means, and how much was checked: `follows what was checked: 64 of 80 rules`. */
  verdict: string;
  /**
   * 1 if a MUST fails that is not known, or the list of known failures is outdated; otherwise 2 if a MUST, or a
   * sentence of it, was skipped or ended with an error, or nothing was checked; otherwise 0.
   */
  exitCode: 0 | 1 | 2;
  results: Result[];
}

export function createReport(
  { known: entries, wireProfile }: Pick<Settings, 'known' | 'wireProfile'>,
  started: Date,
  results: readonly Result[],
  more: Pick<Report, 'targets' | 'seed' | 'calls' | 'leftovers'>,
): Report {
  const order = catalog.map(({ id }) => id);
  const known = compare(results, entries, started.toISOString().slice(0, 10));
  const summary = count(results);
  const { exitCode, verdict } = conclude(results, summary, known);
  return {
    startedAt: started.toISOString(),
    durationMs: Date.now() - started.getTime(),
    ...more,
    summary,
    known,
    exitCode,
    verdict: wireProfile.envelope === 'flat' ? `${verdict}, flat responses` : verdict,
    results: results.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id)),
  };
}

function count(results: readonly Result[]): Report['summary'] {
  const counts = OUTCOMES.map((outcome) => [
    outcome,
    results.filter((result) => result.outcome === outcome).length,
  ]);
  const ofRules = results.filter(({ engine }) => engine === 'rules');
  const checked = ofRules.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail');
  return { ...Object.fromEntries(counts), rules: ofRules.length, checkedRules: checked.length };
}

/** Whether a rule passed or failed although a sentence of it was not checked, or not selected. */
const isPartlyChecked = ({ id, outcome, passed, unchecked }: Result): boolean =>
  outcome === 'pass' ? !passed.includes(id) : unchecked.length > 0;

function compare(
  results: readonly Result[],
  entries: readonly KnownFailure[],
  today: string,
): Report['known'] {
  const expired = entries.filter(({ expires = today }) => expires < today);
  const accepted = entries.filter((entry) => !expired.includes(entry));
  const passed = results.flatMap((result) => result.passed);
  const stale = accepted.filter(({ id, flaky }) => !flaky && passed.includes(id));
  const unfinished = results
    .filter(({ id, level }) => level === 'must' && !accepted.some((entry) => entry.id === id))
    .flatMap((result) => result.unfinished);
  return {
    failures: results.flatMap((result) => toKnown(result, accepted)),
    stale: stale.map(({ id }) => id),
    expired: expired.map(({ id }) => id),
    unfinished: unfinished.filter((id) => !accepted.some((entry) => entry.id === id)),
  };
}

/** Entries must cover each finding: by the ID of the result, of the sentence or of a rule that is violated. */
function toKnown(
  { id, findings }: Result,
  accepted: readonly KnownFailure[],
): Report['known']['failures'] {
  const covering = findings.map((finding) => {
    const ids = [id, finding.sentence, ...listViolated(finding)];
    return accepted.find((entry) => ids.includes(entry.id));
  });
  if (findings.length === 0 || covering.includes(undefined)) return [];
  const reason = covering.find((entry) => entry?.reason)?.reason;
  return [{ id, ...(reason && { reason }) }];
}

export const isDecisive = ({ level, id }: Result, { failures }: Report['known']): boolean =>
  level === 'must' && !failures.some((known) => known.id === id);

function conclude(
  results: readonly Result[],
  { pass, fail, checkedRules, rules: total }: Report['summary'],
  known: Report['known'],
): Pick<Report, 'exitCode' | 'verdict'> {
  const decisive = results.filter((result) => isDecisive(result, known));
  const failed = decisive.filter(({ outcome }) => outcome === 'fail');
  const isOpen = decisive.some(({ outcome }) => outcome === 'error' || outcome === 'skip');
  const ofRules = failed.filter(({ engine }) => engine === 'rules').length;
  const failedShoulds = fail - failed.length - known.failures.length;
  const others = ofRules === 0 ? failed.length : 0;
  const partly = results.filter(isPartlyChecked).length;
  const isInconclusive = isOpen || known.unfinished.length > 0 || pass + fail === 0;
  const facts = [
    ofRules > 0 && `${ofRules} failed`,
    others > 0 && `${others} of the transactions and workflows failed`,
    `${checkedRules} of ${total} rules${failed.length > 0 || isInconclusive ? ' checked' : ''}`,
    partly > 0 && `${partly} only partly`,
    known.failures.length > 0 && `${known.failures.length} known to fail`,
    failedShoulds > 0 && `${failedShoulds} SHOULD not met`,
  ];
  const end = (exitCode: Report['exitCode'], phrase: string) => {
    return { exitCode, verdict: `${phrase}: ${facts.filter(Boolean).join(', ')}` };
  };
  if (failed.length > 0) return end(1, 'breaks the contract');
  if (known.stale.length + known.expired.length > 0) {
    return end(1, 'the list of known failures is outdated');
  }
  if (isInconclusive) return end(2, 'inconclusive');
  const isExcepted = results.some(({ level, outcome }) => level === 'must' && outcome === 'fail');
  const what = checkedRules - partly < total ? 'what was checked' : 'the contract';
  return end(0, `follows ${what}${isExcepted ? ', except for known failures' : ''}`);
}

const AREAS: Record<string, string> = {
  GW: 'Gateway',
  AU: 'Authentication',
  ST: 'Storage API',
  UP: 'Upload target',
  dredd: 'Documented responses (Dredd)',
  respect: 'Workflows (Respect)',
};

/** Returns the results by their area. */
export function toGroups(results: readonly Result[]): [title: string, results: Result[]][] {
  const toArea = ({ engine, id }: Result) =>
    AREAS[engine === 'rules' ? id.slice(0, 2) : engine] ?? '';
  return [...Map.groupBy(results, toArea)];
}

export function groupByReason(results: readonly Result[], outcome: Outcome): [string, Result[]][] {
  const found = results.filter((result) => result.outcome === outcome);
  return [...Map.groupBy(found, ({ reason = '' }) => reason)];
}

/** A rule that fails because of many others, so that it is worth reading only if none of those fails. */
const SUMMARY_RULE = 'ST-SEQUENCE';

/**
 * Returns what there is to fix, each with the transactions and workflows that violate its rule, and what else fails. A
 * failure is hidden only if a MUST that is shown explains it. A SHOULD explains nothing, because it fails no run.
 */
export function listProblems({ results, known }: Report) {
  const failed = results.filter(
    ({ id, outcome }) => outcome === 'fail' && !known.failures.some((failure) => failure.id === id),
  );
  const reasons = failed.filter(
    ({ id, engine, level }) => engine === 'rules' && level === 'must' && id !== SUMMARY_RULE,
  );
  const isExplained = ({ id, engine, rules }: Result) =>
    id === SUMMARY_RULE
      ? reasons.some((reason) => /^(ST|UP)-/.test(reason.id))
      : engine !== 'rules' && reasons.some((reason) => rules.includes(reason.id));
  const others = failed.filter(isExplained);
  const causes = failed.filter((one) => !isExplained(one));
  const problems = causes.map((cause) => ({
    cause,
    others: others.filter(({ rules }) => reasons.includes(cause) && rules.includes(cause.id)),
  }));
  return { problems, rest: others.filter(({ id }) => id === SUMMARY_RULE) };
}

export function listIds(results: readonly Result[]): string {
  return results.map(({ id }) => id).join(', ');
}

/** Returns what else an operator must know: each with a title and what it is about. */
export function listFacts({
  known,
  leftovers,
  results,
}: Report): [title: string, items: string[]][] {
  const failures = known.failures.map(({ id, reason }) => (reason ? `${id}: ${reason}` : id));
  const facts: [string, string[]][] = [
    ['Only partly checked', results.flatMap(({ unchecked }) => unchecked)],
    ['Known failures', failures],
    ['Known failures that no longer fail', known.stale],
    ['Known failures that are no longer accepted', known.expired],
    ['Files that could not be removed', leftovers],
  ];
  return facts.filter(([, items]) => items.length > 0);
}
