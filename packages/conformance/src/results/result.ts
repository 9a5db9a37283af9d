import type { Case } from '../contract/catalog.ts';
import type { Exchange } from '../http/exchange.ts';
import { type ReportedCall, toReportedCall } from '../http/reported-call.ts';
import type { NotRunError } from '../errors.ts';

/**
 * - `pass`: at least one request was made and one assertion succeeded, and none failed
 * - `fail`: the target violates the contract; `findings` explain how
 * - `disabled`, `skip` and `error`: it did not run, or did not finish; `reason` explains why. None of them is a pass
 */
export type Outcome = 'pass' | 'fail' | NotRunError['outcome'];

/** Maximum number of findings that are kept for a check, and for an invariant. */
export const MAX_FINDINGS = 20;

/** A violation of the contract, with the call that shows it. */
export interface Finding extends Partial<ReportedCall> {
  /** What the contract requires, and what was received instead. */
  message: string;
  /**
   * ID of the sentence that is violated: `GW-PATH/2`, or the ID of a rule that has only one. Absent if Dredd or Respect
   * found it.
   */
  sentence?: string;
  /** The place in the contract: document and JSON pointer, or the rule. */
  where: string;
  /** A command that repeats the call. Every finding of a result has one. */
  repeat?: string;
}

/** Adds the call that shows a violation. If its response was cut, the message begins with that. */
export function withEvidence(finding: Finding, exchange: Exchange | undefined): Finding {
  if (exchange === undefined) return finding;
  const { isCut, body, header } = exchange.received;
  const length = header('content-length');
  const size = length === undefined ? body.length : `${body.length} of ${length}`;
  const message = isCut
    ? `the response ended after ${size} bytes: ${finding.message}`
    : finding.message;
  return { ...finding, message, ...toReportedCall(exchange) };
}

/** The result of one sentence of a rule. The only sentence of a rule has the ID of the rule. */
export interface SentenceResult {
  id: string;
  outcome: Outcome;
  /** Why it was not checked, or was only partly checked. */
  reason?: string | undefined;
  /** If the sentence is about each response: how many of the responses it applies to violate it. */
  scope?: { violations: number; responses: number } | undefined;
}

/** What a check, an invariant, a transaction or a workflow shows, or all those of a rule. */
export interface PartialResult extends SentenceResult {
  findings: Finding[];
  notes?: string[];
  durationMs?: number;
  /** Only a rule has these. */
  sentences?: SentenceResult[];
}

/** The result of one case. Credentials are redacted in every string. */
export interface Result extends Pick<Case, 'engine' | 'id' | 'level' | 'statement'> {
  /** IDs of the rules that it is about, or that its responses violate. */
  rules: string[];
  outcome: Outcome;
  /** Why it was skipped or disabled, or what the error was. */
  reason?: string | undefined;
  /** The sentences of a rule. Transactions and workflows have none. */
  sentences: SentenceResult[];
  findings: Finding[];
  /** More information for the operator, which does not affect the outcome. */
  notes: string[];
  durationMs: number;
  /** Whether the list of known failures covers each of its findings. */
  isKnown: boolean;
  /** Whether it affects the exit code, which neither a SHOULD nor a known failure does. */
  counts: boolean;
}

/** Returns which parts of a rule that passed or failed were not checked, and why. */
export function listUnchecked({ outcome, sentences }: Result): string[] {
  if (outcome !== 'pass' && outcome !== 'fail') return [];
  return sentences.flatMap(({ id, outcome, reason }) => {
    const what = outcome === 'pass' ? 'only partly' : 'not';
    return reason === undefined ? [] : `${id} was ${what} checked: ${reason}`;
  });
}
