import type { Answer, SentRequest } from './http-messages.ts';
import type { Place } from './transaction.ts';

/**
 * - `pass`: a request was made, and its answer keeps the contract
 * - `fail`: the answer breaks the contract; `findings` say how
 * - `skip`: not judged; `reason` says why. A skip is never a pass
 * - `error`: the fault of the suite or of the network, never blamed on the target
 */
export type Outcome = 'pass' | 'fail' | 'skip' | 'error';

/** One breach of the contract. */
export interface Finding {
  /** What the contract says, and what came instead. */
  message: string;
  /** The place in the contract: document and JSON pointer. */
  where: string;
}

/** What became of one transaction. Credentials are blanked in every string. */
export interface Result extends Place {
  outcome: Outcome;
  /** Why it was skipped, or what the error was. */
  reason?: string;
  /** Of a skip: whether the contract had to be checked here. Then the run is incomplete. */
  required?: boolean;
  /** Of a skip: the target refused the credentials. */
  refused?: boolean;
  findings: Finding[];
  request?: SentRequest;
  answer?: Answer;
}

/** The part of a result that a judgement decides. */
export type Verdict = Pick<Result, 'outcome' | 'reason' | 'required' | 'refused' | 'findings'>;
