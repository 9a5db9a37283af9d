/*
 * A sentence gets the first of these outcomes that one of its checks or its invariant has; a rule, that one of its sentences
 * has.
 *
 * | Outcome    | A check                                         | An invariant                                 |
 * | ---------- | ----------------------------------------------- | -------------------------------------------- |
 * | `fail`     | has findings, whether or not it finished        | is violated by a response                    |
 * | `error`    | did not finish: a bug, or no response           |                                              |
 * | `skip`     | lacks what it needs, or its credentials expired | applies to no response, despite calls for it |
 * | `pass`     | finished without findings                       | applies to responses, and none violates it   |
 * | `disabled` | was not selected, or lacks an optional feature  |                                              |
 */
import { type Case, catalog, isSelected, type Need, type Runnable } from '../contract/catalog.ts';
import { DisabledError, NotRunError, SkipError } from '../errors.ts';
import type { CredentialKind } from '../http/sign.ts';
import type { Observer, Tally } from '../invariants/observer.ts';
import { nameCredentials } from '../options.ts';
import type {
  CaseResult,
  CheckResult,
  Conclusion,
  Evidence,
  Finding,
  Outcome,
  SentenceResult,
} from '../results/result.ts';
import type { Run } from './run.ts';

const PRECEDENCE: readonly Outcome[] = ['fail', 'error', 'skip', 'pass', 'disabled'];

/** Returns what keeps a check, a transaction or a workflow from running. */
export function findBlocker(run: Run, runnable: Runnable): NotRunError | undefined {
  const { settings, signal, deployment } = run;
  const { nameOf } = settings;
  const { needs, sentence } = runnable;
  const { api } = runnable.case;
  if (!isSelected(runnable.case, settings.only, sentence))
    return new DisabledError(`not in ${nameOf('only')}`);
  if (!settings.apis.includes(api)) return new DisabledError(`no ${nameOf(`${api}Url`)}`);
  if (signal.aborted) return new SkipError(String(signal.reason));
  const reasons = needs.map((need) => NEEDS[need](run));
  // If every call to the API is rejected, that explains more than a credential that was not provided.
  return deployment.unavailable[api] ?? reasons.find((reason) => reason !== undefined);
}

const NEEDS: Record<Need, (run: Run) => NotRunError | undefined> = {
  // Skipped rather than disabled, because any operator can deploy the service and allow upgrades.
  fixture: ({ deployment }) => deployment.unavailable.fixture,
  webSocket: ({ deployment }) => deployment.unavailable.webSocket,
  alsoWebSocket: ({ deployment: { unavailable } }) =>
    unavailable.webSocket && new DisabledError(unavailable.webSocket.message),
  bearer: (run) => unlessSigned(run, 'bearer'),
  signature: (run) => unlessSigned(run, 'signature'),
  storageCredentials: (run) => unlessSigned(run, 'storage'),
  otherEnvToken: (run) => unlessSet(run, 'otherEnvToken'),
  forbiddenService: (run) => unlessSet(run, 'forbiddenService'),
  writes: ({ settings: { readOnly, nameOf } }) =>
    readOnly ? new DisabledError(nameOf('readOnly')) : undefined,
};

function unlessSigned({ signers, settings }: Run, kind: CredentialKind) {
  return signers.has(kind) ? undefined : new DisabledError(`no ${nameCredentials(settings)[kind]}`);
}

function unlessSet({ settings }: Run, option: 'otherEnvToken' | 'forbiddenService') {
  return settings[option] ? undefined : new DisabledError(`no ${settings.nameOf(option)}`);
}

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
  const ended = { case: runnable.case, sentence, findings, notes: [], durationMs: 0 };
  // Findings count even if it did not finish.
  if (findings.length > 0) return { ...ended, outcome: 'fail' };
  if (error === undefined) return { ...ended, outcome: 'pass' };
  const { outcome, message: reason } = toNotRunError(signal, error);
  return { ...ended, outcome, reason };
}

function toNotRunError({ aborted, reason }: AbortSignal, error: unknown): NotRunError {
  if (error instanceof DisabledError) return error;
  // Once the run has ended, that is the cause of any error.
  if (aborted) return new SkipError(String(reason));
  if (error instanceof NotRunError) return error;
  return new NotRunError(`bug in the suite: ${(error as Error).stack ?? error}`);
}

/** Decides every case, in the order of a report, after the last call. */
export function decideCases(results: readonly CheckResult[], observer: Observer): CaseResult[] {
  const byCase = Map.groupBy(results, (result) => result.case);
  return catalog.flatMap((found) => {
    const { sentences } = found;
    const ended = byCase.get(found) ?? [];
    if (sentences === undefined) return ended.map((result) => ({ ...result, sentences: [] }));
    const parts = Object.keys(sentences).flatMap((sentence): SentencePart[] => {
      const checks = ended.flatMap((result) => {
        return result.sentence === sentence ? [{ ...result, sentence }] : [];
      });
      if (!observer.hasInvariant(sentence)) return checks;
      return [...checks, ...decideInvariant(sentence, observer.tallyOf(sentence), checks)];
    });
    return decideRule(found, parts);
  });
}

/** What a check of a sentence, or its invariant, found. */
type SentencePart = SentenceResult & Evidence;

/** Returns nothing if the invariant applies to no response, and no check made calls for it. */
export function decideInvariant(
  sentence: string,
  tally: Tally | undefined,
  checks: readonly Conclusion[],
): SentencePart[] {
  const ended = { sentence, notes: [], durationMs: 0 };
  if (tally) {
    const { findings, ...scope } = tally;
    return [{ ...ended, findings, scope, outcome: scope.violations > 0 ? 'fail' : 'pass' }];
  }
  const isChecked = checks.some(({ outcome }) => outcome === 'pass');
  const reason = 'the run got no response that the rule applies to';
  return isChecked ? [{ ...ended, findings: [], outcome: 'skip', reason }] : [];
}

export function decideRule(rule: Case, parts: readonly SentencePart[]): CaseResult {
  const bySentence = Map.groupBy(parts, ({ sentence }) => sentence);
  const sentences = [...bySentence].map(([sentence, found]) => decideSentence(sentence, found));
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

function decideSentence(sentence: string, parts: readonly SentencePart[]): SentenceResult {
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
