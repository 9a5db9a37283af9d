import type { Level } from './contract/rules.ts';
import type { Answer, SentRequest } from './http/exchange.ts';

/** The run could not start: bad options, no answer, TLS. The message is one sentence for people. */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** The option that is at fault; the message begins with it. */
  readonly option: string | undefined;

  constructor(message: string, option?: string) {
    super(message);
    this.option = option;
  }
}

/**
 * - `pass`: at least one request was made and one assertion held, and none failed
 * - `fail`: the target breaks the contract; `findings` say how
 * - `skip`: it could not be reached; `reason` says why. A skip is never a pass
 * - `disabled`: the operator has left it out, or has not given what it needs; `reason` says which option.
 *   Or the target does not have what the rule is about, and need not
 * - `error`: the fault of the suite or of the network, never blamed on the target
 */
export type Outcome = 'pass' | 'fail' | 'skip' | 'disabled' | 'error';

export const OUTCOMES = ['pass', 'fail', 'skip', 'disabled', 'error'] as const;

/** What made the calls: the checks of single rules, Dredd, or Respect. */
export const ENGINES = ['rules', 'dredd', 'respect'] as const;

export type Engine = (typeof ENGINES)[number];

/** One breach of the contract. */
export interface Finding {
  /** What the contract says, and what came instead. */
  message: string;
  /** The place in the contract: document and JSON pointer, or the rule. */
  where: string;
  /** The request that brought it about. */
  request?: SentRequest;
  answer?: Answer;
}

/** What became of one check. Credentials are blanked in every string. */
export interface Result {
  engine: Engine;
  /** The rule (`GW-C1`), the transaction (`storage batchDelete 200 application/json`) or the workflow. */
  id: string;
  level: Level;
  /** The sentence of the contract that it stands on. */
  statement: string;
  /** Ids of the rules that it is evidence for. */
  rules: string[];
  /** Operations that it calls. */
  operations: string[];
  outcome: Outcome;
  /** Why it was skipped or disabled, or what the error was. */
  reason?: string;
  findings: Finding[];
  /** What else the operator should know; it decides nothing. */
  notes: string[];
  /** Requests that were made. */
  requests: number;
  /** Bytes of those requests, heads and bodies as HTTP/1.1 writes them. */
  bytes: number;
  /** Statements about the answers that were tested. */
  assertions: number;
  durationMs: number;
}

/** What the judgement of one documented answer decides. */
export interface Verdict {
  outcome: Outcome;
  /** Why it was skipped, or what the error was. */
  reason?: string;
  /** Of a skip: whether the contract had to be checked here. Then the run is incomplete. */
  required?: boolean;
  /** Of a skip: the target refused the credentials. */
  refused?: boolean;
  findings: Finding[];
}

/** Ends a check after a finding that leaves nothing more to test. */
export class Failed extends Error {
  override readonly name = 'Failed';
}

/** Ends a check whose rule is about something that the target does not have, and need not have. */
export class Inapplicable extends Error {
  override readonly name = 'Inapplicable';
}

/**
 * Ends a check whose preparation did not work, an upload for example: nothing was learnt about its own
 * rule, so it is a skip. What did not work is the subject of another rule.
 */
export class Unreached extends Error {
  override readonly name = 'Unreached';
}
