import type { Level } from './contract/rules.ts';
import type { ReportedCall } from './http/reported-call.ts';

/**
 * Thrown if the run cannot start, for example because of an invalid option, a missing response or a TLS
 * error. The message is one sentence for the user.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export const OUTCOMES = ['pass', 'fail', 'skip', 'disabled', 'error'] as const;

/**
 * - `pass`: at least one request was made and one assertion succeeded, and none failed
 * - `fail`: the target violates the contract; `findings` explain how
 * - `skip`: the run proves nothing about the rule; `reason` explains why. A skip is never a pass
 * - `disabled`: the operator left the check out or did not provide what it needs, in which case `reason`
 *   names the option; or the target lacks the optional feature that the rule is about
 * - `error`: the suite or the network is at fault, never the target
 */
export type Outcome = (typeof OUTCOMES)[number];

/** Why a check does not run. */
export interface SkipReason {
  outcome: Outcome;
  reason: string;
}

export const disabled = (reason: string): SkipReason => ({ outcome: 'disabled', reason });
export const skipped = (reason: string): SkipReason => ({ outcome: 'skip', reason });

/** The engines: the checks for individual rules, Dredd and Respect. */
export const ENGINES = ['rules', 'dredd', 'respect'] as const;

export type Engine = (typeof ENGINES)[number];

/** Maximum number of findings that are kept for a check, and for an invariant. */
export const MAX_FINDINGS = 20;

/** Something that must hold for a response, and what to report if it does not. */
export type Claim = readonly [holds: boolean, message: string];

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
}

export interface Scope {
  violations: number;
  responses: number;
}

/** The result of one check. Credentials are redacted in every string. */
export interface Result {
  engine: Engine;
  /** The rule (`GW-C1`), the transaction (`storage batchDelete 200 application/json`) or the workflow. */
  id: string;
  level: Level;
  /** The sentence of the contract that it checks. */
  statement: string;
  /** IDs of the rules that it proves. */
  rules: string[];
  /** IDs of the sentences of a rule that were completely checked and passed, even if others failed. */
  passed: string[];
  outcome: Outcome;
  /** Why it was skipped or disabled, or what the error was. */
  reason?: string | undefined;
  findings: Finding[];
  /** More information for the operator, which does not affect the status. */
  notes: string[];
  /** By sentence, if it applies to each response: how many of the responses it applies to violate it. */
  scopes: Record<string, Scope>;
  durationMs: number;
}

/** Creates the result of a transaction or workflow that has not been run: an error until more is known. */
export function createResult(fields: Pick<Result, 'engine' | 'id' | 'statement'>): Result {
  const nothing = { rules: [], passed: [], findings: [], scopes: {}, notes: [], durationMs: 0 };
  return { level: 'must', outcome: 'error', ...nothing, ...fields };
}

/** Ends a check after a finding that makes the remaining assertions pointless. */
export class FailError extends Error {}

/** Ends a check because its rule is about an optional feature that the target lacks. */
export class DisabledError extends Error {}

/**
 * Skips the rest of a check whose setup failed, for example because a file could not be uploaded: the run proves
 * nothing about the check's own rule. Another rule covers the failed step.
 */
export class SkipError extends Error {}

/** Skips the part of a check that needs WebSockets, because no handshake gets a response. */
export class NoWebSocketError extends SkipError {}
