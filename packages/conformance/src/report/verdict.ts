import { type Case, listViolated, nameCases } from '../contract/catalog.ts';
import type { Api } from '../contract/openapi.ts';
import type { KnownFailure, Settings } from '../options.ts';
import { type CaseResult, listUnchecked, type Outcome, type Result } from '../results/result.ts';
import { toRepeat } from './to-curl.ts';

/** The report on a run. A table in the README, under "The verdict", says how each result affects the exit code. */
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
  };
  /** What `exitCode` means, and how much was checked: `follows what was checked: 64 of 80 rules`. */
  verdict: string;
  exitCode: 0 | 1 | 2;
  results: Result[];
}

type ReportSettings = Pick<Settings, 'known' | 'wireProfile' | 'seed' | 'ca' | 'flags'>;

/** Only a MUST affects the exit code. */
const isRequired = ({ level }: Pick<Case, 'level'>): boolean => level === 'must';

function listAccepted({ known }: ReportSettings, day: Date): KnownFailure[] {
  const today = day.toISOString().slice(0, 10);
  return known.filter(({ until = today }) => until >= today);
}

export function toResult(
  settings: ReportSettings,
  started: Date,
  { case: { engine, id, level, statement }, ...ended }: CaseResult,
): Result {
  const findings = ended.findings.map((finding) => {
    return { ...finding, repeat: toRepeat({ engine, id }, finding, settings) };
  });
  const rules = engine === 'rules' ? [id] : [...new Set(findings.flatMap(listViolated))];
  const result = { id, engine, level, statement, rules, ...ended, findings };
  return { ...result, ...applyKnown(result, listAccepted(settings, started)) };
}

type Assessment = Pick<Result, 'known' | 'counts' | 'isInconclusive'>;

/**
 * Applies the known failures to a result. An entry covers a finding if it has the ID of the case, of the sentence or of a
 * rule that is violated. The failure is known if each of its findings is covered.
 */
function applyKnown(
  { id, level, outcome, findings, sentences }: Omit<Result, keyof Assessment>,
  accepted: readonly KnownFailure[],
): Assessment {
  const covering = findings.map((finding) => {
    const ids = [id, finding.sentence, ...listViolated(finding)];
    return accepted.find((entry) => ids.includes(entry.id));
  });
  const isMust = isRequired({ level });
  const isKnown = covering.length > 0 && !covering.includes(undefined);
  const reason = covering.find((entry) => entry?.reason)?.reason;
  const isAccepted = (name: string) => accepted.some((entry) => entry.id === name);
  const others = isAccepted(id) ? [] : sentences.filter(({ sentence }) => !isAccepted(sentence));
  const outcomes = [outcome, ...others.map((each) => each.outcome)];
  return {
    known: isKnown ? { ...(reason && { reason }) } : undefined,
    counts: isMust && !isKnown,
    isInconclusive: isMust && (outcomes.includes('skip') || outcomes.includes('error')),
  };
}

export function createReport(
  settings: ReportSettings,
  started: Date,
  results: Result[],
  counted: Pick<Report, 'targets' | 'calls' | 'leftovers'>,
): Report {
  const { known: entries, wireProfile, seed } = settings;
  const accepted = listAccepted(settings, started);
  const passed = results.flatMap(listPassed);
  const toIds = (list: readonly KnownFailure[]) => list.map(({ id }) => id);
  const known = {
    failures: results.flatMap(({ id, known }) => (known ? [{ id, ...known }] : [])),
    stale: toIds(accepted.filter(({ id, flaky }) => !flaky && passed.includes(id))),
    expired: toIds(entries.filter((entry) => !accepted.includes(entry))),
  };
  const count = (outcome: Outcome, among = results) =>
    among.filter((result) => result.outcome === outcome).length;
  const rules = results.filter(({ engine }) => engine === 'rules');
  const summary = {
    pass: count('pass'),
    fail: count('fail'),
    skip: count('skip'),
    disabled: count('disabled'),
    error: count('error'),
    rules: rules.length,
    checkedRules: count('pass', rules) + count('fail', rules),
  };
  const { exitCode, verdict } = conclude(results, summary, known);
  return {
    startedAt: started.toISOString(),
    durationMs: Date.now() - started.getTime(),
    ...counted,
    seed,
    summary,
    known,
    exitCode,
    verdict: wireProfile.envelope === 'flat' ? `${verdict}, flat responses` : verdict,
    results,
  };
}

/** Returns the IDs of what passed completely: of the result, and of its sentences. */
function listPassed(result: Result): string[] {
  const { id, outcome, sentences } = result;
  const passed = sentences.filter((each) => each.outcome === 'pass' && each.reason === undefined);
  const isComplete = outcome === 'pass' && listUnchecked(result).length === 0;
  return [...(isComplete ? [id] : []), ...passed.map(({ sentence }) => sentence)];
}

function conclude(
  results: readonly Result[],
  { pass, fail, checkedRules, rules: total }: Report['summary'],
  known: Report['known'],
): Pick<Report, 'exitCode' | 'verdict'> {
  const failed = results.filter(({ outcome, counts }) => outcome === 'fail' && counts);
  const failedShoulds = fail - failed.length - known.failures.length;
  const partly = results.filter((result) => listUnchecked(result).length > 0).length;
  const isBroken = failed.length > 0;
  const isOutdated = known.stale.length + known.expired.length > 0;
  const isInconclusive = pass + fail === 0 || results.some((result) => result.isInconclusive);
  const facts = [
    isBroken && `${nameCases(failed)} failed`,
    `${checkedRules} of ${total} rules${isBroken || isInconclusive ? ' checked' : ''}`,
    partly > 0 && `${partly} only partly`,
    known.failures.length > 0 && `${known.failures.length} known to fail`,
    failedShoulds > 0 && `${failedShoulds} SHOULD rule${failedShoulds > 1 ? 's' : ''} not met`,
  ];
  const end = (exitCode: Report['exitCode'], phrase: string) => {
    return { exitCode, verdict: `${phrase}: ${facts.filter(Boolean).join(', ')}` };
  };
  if (isBroken) return end(1, 'breaks the contract');
  if (isOutdated) return end(1, 'the list of known failures is outdated');
  if (isInconclusive) return end(2, 'inconclusive');
  const hasExceptions = results.some((result) => isRequired(result) && result.known);
  const what = checkedRules - partly < total ? 'what was checked' : 'the contract';
  return end(0, `follows ${what}${hasExceptions ? ', except for known failures' : ''}`);
}
