import type { Finding, Outcome } from './result.ts';

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
