/*
 * A sentence takes the highest-ranking outcome of its checks and its invariant; a rule takes that of its sentences:
 *
 * | Outcome    | A check                                         | An invariant                                 |
 * | ---------- | ----------------------------------------------- | -------------------------------------------- |
 * | `fail`     | has findings, whether or not it finished        | is violated by a response                    |
 * | `error`    | did not finish: a bug, or no response           |                                              |
 * | `skip`     | lacks what it needs, or its credentials expired | applies to no response, despite calls for it |
 * | `pass`     | finished without findings                       | applies to responses, and none violates it   |
 * | `disabled` | was not selected, or lacks an optional feature  |                                              |
 *
 * For example, GW-C2/1 has an invariant, and a check that only makes calls for it. If 5 of 21 responses violate it:
 *
 * 1. An invariant returns, for each response, a Claim: `[false, 'Content-Disposition must be attachment, not none']`.
 * 2. `observe` adds these to a Tally: `{ responses: 21, violations: 5, findings: [{ message, sentence: 'GW-C2/1', … }, …] }`.
 * 3. `decide` returns the CheckResult of the check: `{ sentence: 'GW-C2/1', outcome: 'pass', findings: [] }`.
 * 4. After the last call, `decideInvariant` returns that of the invariant: `{ sentence: 'GW-C2/1', outcome: 'fail', scope:
 *    { responses: 21, violations: 5 }, findings }`.
 * 5. `decideSentence` returns a SentenceResult: `{ sentence: 'GW-C2/1', outcome: 'fail', scope }`.
 * 6. `decideRule` returns a CaseResult: `{ case: { id: 'GW-C2' }, outcome: 'fail', sentences: [that of 5, …], findings }`.
 * 7. `toResult` returns, for the report, a Result: `{ id: 'GW-C2', level: 'must', outcome: 'fail', counts: true, … }`, whose
 *    findings have the command `repeat`. If `--known` covers them, `counts` is false.
 * 8. `createReport` counts it: `{ summary: { fail: 1 }, verdict: 'breaks the contract: 1 rule failed, …', exitCode: 1 }`.
 */
import { type Case, catalog, type Runnable } from '../contract/catalog.ts';
import { DisabledError, NotRunError, SkipError } from '../errors.ts';
import type { Tally } from '../invariants/observer.ts';
import type {
  CaseResult,
  CheckResult,
  Conclusion,
  Finding,
  Outcome,
  SentenceResult,
} from '../results/result.ts';
import { findExpired } from './prepare.ts';
import type { Run } from './run.ts';

const PRECEDENCE: readonly Outcome[] = ['fail', 'error', 'skip', 'pass', 'disabled'];

/**
 * Decides the result of a check, a transaction or a workflow.
 *
 * @param error why it did not run, or did not finish
 */
export function decide(
  { signal }: Run,
  runnable: Runnable,
  findings: Finding[],
  error?: unknown,
): CheckResult {
  const { sentence } = runnable;
  const base = { case: runnable.case, sentence, findings, notes: [], durationMs: 0 };
  // Findings count even if it did not finish.
  if (findings.length > 0) return { ...base, outcome: 'fail' };
  if (error === undefined) return { ...base, outcome: 'pass' };
  const { outcome, message: reason } = toNotRunError(signal, error);
  return { ...base, outcome, reason };
}

function toNotRunError({ aborted, reason }: AbortSignal, error: unknown): NotRunError {
  if (error instanceof DisabledError) return error;
  // Once the run has ended, that is the cause of any error.
  if (aborted) return new SkipError(String(reason));
  if (error instanceof NotRunError) return error;
  return new NotRunError(`bug in the suite: ${(error as Error).stack ?? error}`);
}

/** Decides every case, in the order of a report, after the last call. */
export async function decideCases(
  run: Run,
  results: readonly CheckResult[],
): Promise<CaseResult[]> {
  const { observer } = run;
  const byCase = Map.groupBy(await skipIfCredentialsExpired(run, results), (each) => each.case);
  return catalog.flatMap((testCase) => {
    const { sentences } = testCase;
    const ended = byCase.get(testCase) ?? [];
    if (sentences === undefined) return ended.map((result) => ({ ...result, sentences: [] }));
    const parts = Object.keys(sentences).flatMap((sentence) => {
      const checks = ended.filter((result) => result.sentence === sentence);
      if (!observer.hasInvariant(sentence)) return checks;
      const tally = observer.tallyOf(sentence);
      return [...checks, ...decideInvariant({ case: testCase, sentence }, tally, checks)];
    });
    return decideRule(testCase, parts);
  });
}

/** Discards the failures of an API if its credentials have expired since the run began: then, findings prove nothing. */
async function skipIfCredentialsExpired(run: Run, results: readonly CheckResult[]) {
  let confirmed = results;
  for (const api of run.settings.apis) {
    const isDoubtful = (result: CheckResult) =>
      result.outcome === 'fail' && result.case.api === api;
    const expired = results.some(isDoubtful) && (await findExpired(run, api));
    if (!expired) continue;
    const skipped = { outcome: 'skip' as const, reason: expired.message, findings: [] };
    confirmed = confirmed.map((each) => (isDoubtful(each) ? { ...each, ...skipped } : each));
  }
  return confirmed;
}

/** Returns nothing if the invariant applies to no response, and no check made calls for it. */
export function decideInvariant(
  subject: Pick<CheckResult, 'case' | 'sentence'>,
  tally: Tally | undefined,
  checks: readonly Conclusion[],
): CheckResult[] {
  const base = { ...subject, notes: [], durationMs: 0 };
  if (tally) {
    const { findings, ...scope } = tally;
    return [{ ...base, findings, scope, outcome: scope.violations > 0 ? 'fail' : 'pass' }];
  }
  const isChecked = checks.some(({ outcome }) => outcome === 'pass');
  const reason = 'the run got no response that the rule applies to';
  return isChecked ? [{ ...base, findings: [], outcome: 'skip', reason }] : [];
}

/** Decides a rule from the results of its checks and of its invariants. */
export function decideRule(rule: Case, parts: readonly CheckResult[]): CaseResult {
  const bySentence = Map.groupBy(parts, ({ sentence = rule.id }) => sentence);
  const sentences = [...bySentence].map(([sentence, results]) => decideSentence(sentence, results));
  const { sentence: first, outcome, reason } = findFirstByPrecedence(sentences);
  const isShared = sentences.every((each) => each.reason === reason);
  const isDecided = outcome === 'pass' || outcome === 'fail';
  return {
    case: rule,
    outcome,
    ...(!isDecided && { reason: isShared ? reason : `${first}: ${reason}` }),
    sentences,
    findings: parts.flatMap(({ findings }) => findings),
    notes: parts.flatMap(({ notes }) => notes),
    durationMs: parts.reduce((total, { durationMs }) => total + durationMs, 0),
  };
}

function decideSentence(sentence: string, parts: readonly CheckResult[]): SentenceResult {
  const { outcome } = findFirstByPrecedence(parts);
  // A failure needs no other proof, but a pass is partial if another check of the sentence is disabled.
  const reasonOutcome = outcome === 'pass' ? 'disabled' : outcome;
  const reason = parts.find((part) => part.outcome === reasonOutcome)?.reason;
  const scope = parts.find((part) => part.scope)?.scope;
  return { sentence, outcome, ...(reason && { reason }), ...(scope && { scope }) };
}

function findFirstByPrecedence<Item extends Conclusion>(items: readonly Item[]): Item {
  const rank = ({ outcome }: Item) => PRECEDENCE.indexOf(outcome);
  return items.toSorted((a, b) => rank(a) - rank(b))[0] as Item;
}
