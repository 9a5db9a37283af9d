/*
 * What each result means for the exit code. That of the run is 1 if any result has 1, otherwise 2 if any has 2 or nothing
 * was checked, and otherwise 0.
 *
 * | Outcome                       | MUST | SHOULD | in `--known`           | in `--known`, `flaky` |
 * | ----------------------------- | ---- | ------ | ---------------------- | --------------------- |
 * | `pass`                        | 0    | 0      | 1: remove the entry    | 0                     |
 * | `pass`, but only partly       | 0    | 0      | 0                      | 0                     |
 * | `fail`                        | 1    | 0      | 0                      | 0                     |
 * | `fail`, a sentence unfinished | 1    | 0      | 2, unless it is listed | the same              |
 * | `error`, `skip`               | 2    | 0      | 2, or 0 for a SHOULD   | the same              |
 * | `disabled`                    | 0    | 0      | 0                      | 0                     |
 *
 * An entry that has expired also makes it 1.
 */
import { catalog } from '../contract/catalog.ts';
import type { Api } from '../contract/openapi.ts';
import { listViolated } from '../contract/rules.ts';
import type { KnownFailure, Settings } from '../options.ts';
import { listUnchecked, OUTCOMES, type Outcome, type Result } from '../result.ts';

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

function compare(
  results: readonly Result[],
  entries: readonly KnownFailure[],
  today: string,
): Report['known'] {
  const expired = entries.filter(({ expires = today }) => expires < today);
  const accepted = entries.filter((entry) => !expired.includes(entry));
  const isAccepted = ({ id }: { id: string }) => accepted.some((entry) => entry.id === id);
  const passed = results.flatMap(listPassed);
  const stale = accepted.filter(({ id, flaky }) => !flaky && passed.includes(id));
  const failed = results.filter(({ level, outcome }) => level === 'must' && outcome === 'fail');
  const unfinished = failed
    .filter((result) => !isAccepted(result))
    .flatMap(({ sentences }) => sentences.filter((one) => isOpen(one) && !isAccepted(one)));
  const toIds = (items: readonly { id: string }[]) => items.map(({ id }) => id);
  return {
    failures: results.flatMap((result) => toKnown(result, accepted)),
    stale: toIds(stale),
    expired: toIds(expired),
    unfinished: toIds(unfinished),
  };
}

const isOpen = ({ outcome }: Pick<Result, 'outcome'>): boolean =>
  outcome === 'error' || outcome === 'skip';

/** Returns the IDs of what passed completely: of the result, and of its sentences. */
function listPassed(result: Result): string[] {
  return [{ ...result, reason: listUnchecked(result)[0] }, ...result.sentences]
    .filter(({ outcome, reason }) => outcome === 'pass' && reason === undefined)
    .map(({ id }) => id);
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
  const ofRules = failed.filter(({ engine }) => engine === 'rules').length;
  const failedShoulds = fail - failed.length - known.failures.length;
  const others = ofRules === 0 ? failed.length : 0;
  const partly = results.filter((result) => listUnchecked(result).length > 0).length;
  const isInconclusive = decisive.some(isOpen) || known.unfinished.length > 0 || pass + fail === 0;
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
