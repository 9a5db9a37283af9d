import { isUtf8 } from 'node:buffer';
import type { Case } from '../contract/catalog.ts';
import type { NotRunError } from '../errors.ts';
import { type CallMaker, type Exchange, toHeaderRecord } from '../http/exchange.ts';

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
   * ID of the sentence that is violated: `GW-PATH/2`, or the ID of a rule that has only one. Absent if none is, such as for
   * an unexpected status in a transaction.
   */
  sentence?: string;
  /** Whether a call that had to be accepted was rejected. */
  isRejection?: boolean;
  /** The place in the contract: document and JSON pointer, or the rule. */
  where: string;
  /** The contract's example of the body, as JSON, if the body violates its schema. */
  example?: string | undefined;
  /** A command that repeats the call. Every finding of a result has one. */
  repeat?: string;
}

/** Adds the call that shows a violation. If its response was cut, the message begins with that. */
export function withEvidence(finding: Finding, exchange: Exchange | undefined): Finding {
  if (exchange === undefined) return finding;
  const { isCut, body, header } = exchange.received;
  const length = header('content-length');
  const size = length === undefined ? body.length : `${body.length} of ${length}`;
  const message = (isCut ? `the response ended after ${size} bytes: ` : '') + finding.message;
  return { ...finding, message, ...toReportedCall(exchange) };
}

export interface Conclusion {
  outcome: Outcome;
  /** Why it was not checked, or was only partly checked. */
  reason?: string | undefined;
}

interface Evidence {
  findings: Finding[];
  /** More information for the operator, which does not affect the outcome. */
  notes: string[];
  durationMs: number;
}

/** Conclusion about one sentence of a rule. */
export interface SentenceResult extends Conclusion {
  sentence: string;
  /** If the sentence is about each response: how many of the responses it applies to violate it. */
  scope?: { violations: number; responses: number } | undefined;
}

/** What one check, invariant, transaction or workflow found, as `decide` or `decideInvariant` concludes. */
export interface CheckResult extends Conclusion, Evidence, Pick<SentenceResult, 'scope'> {
  case: Case;
  /** The sentence that a check or an invariant is about. */
  sentence?: string | undefined;
}

/** What all checks and invariants of a case found, as `decideCases` concludes. */
export interface CaseResult extends Conclusion, Evidence {
  case: Case;
  /** The sentences of a rule. Transactions and workflows have none. */
  sentences: SentenceResult[];
}

/** A case in a report. Credentials are redacted in every string. */
export interface Result
  extends Omit<CaseResult, 'case'>,
    Pick<Case, 'engine' | 'id' | 'level' | 'statement'> {
  /** IDs of the rules that it is about, or that its responses violate. */
  rules: string[];
  /** Set if the known failures cover each of its findings, with the first reason that they give. */
  known?: { reason?: string } | undefined;
  /** Whether it affects the exit code, which neither a SHOULD nor a known failure does. */
  counts: boolean;
  /** Whether it is a MUST of which a part that is not known to fail was skipped or ended with an error. */
  isInconclusive: boolean;
}

/** Returns which parts of a rule that passed or failed were not checked, and why. */
export function listUnchecked({ outcome, sentences }: Result): string[] {
  if (outcome !== 'pass' && outcome !== 'fail') return [];
  return sentences.flatMap(({ sentence, outcome, reason }) => {
    const what = outcome === 'pass' ? 'only partly' : 'not';
    return reason === undefined ? [] : `${sentence} was ${what} checked: ${reason}`;
  });
}

/** Maximum size of a body in a report, in bytes. */
const MAX_BYTES = 16_384;

interface ReportedBody {
  /** Empty if the bytes are not UTF-8. */
  body: string;
  /** Size of the complete body in bytes, if `body` is not all of it. */
  bodySize?: number;
}

/** A request as sent. Header names are in their original case. */
export interface SentRequest extends ReportedBody {
  method: string;
  url: string;
  headers: Record<string, string | string[]>;
}

/** A response as received. Header names are in lower case. */
export interface ReceivedResponse extends ReportedBody {
  status: number;
  /** Whether the connection was closed inside the body. */
  isCut?: boolean;
  headers: Record<string, string | string[]>;
}

interface ReportedCall extends CallMaker {
  request: SentRequest;
  response: ReceivedResponse;
  /** Whether the request was one of several on one connection. */
  onOneConnection?: boolean;
}

function toReportedCall({ sent, received }: Exchange): ReportedCall {
  const { method, url, onOneConnection, madeBy, storesFiles } = sent;
  const { status, isCut } = received;
  const lowered = received.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    request: { method, url, headers: toHeaderRecord(sent.headers), ...toText(sent.body) },
    response: {
      status,
      ...(isCut && { isCut }),
      headers: toHeaderRecord(lowered),
      ...toText(received.body),
    },
    ...(onOneConnection && { onOneConnection }),
    ...(madeBy && { madeBy }),
    ...(storesFiles && { storesFiles }),
  };
}

function toText(all: Buffer): ReportedBody {
  // Without the bytes of a character that is cut.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = decoder.decode(all.subarray(0, MAX_BYTES), { stream: true });
  const isText = isUtf8(all) && !text.includes('\0');
  if (!isText) return { body: '', bodySize: all.length };
  return all.length > MAX_BYTES ? { body: text, bodySize: all.length } : { body: text };
}
