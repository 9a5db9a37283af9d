import type { Api } from '../contract/apis.ts';
import type { Outcome, Result } from '../result.ts';
import { StartError } from '../start-error.ts';

/** What a run found, and the exit code that says it in one number. */
export interface Report {
  targets: { api: Api; url: string; contract: string; version: string }[];
  summary: Record<Outcome, number> & {
    /** Skips that leave the run incomplete. */
    required: number;
  };
  /** 1 a check failed, else 4 one ended in an error, else 3 a required one was skipped, else 0. */
  exitCode: 0 | 1 | 3 | 4;
  results: Result[];
}

/**
 * Counts the results.
 *
 * @throws StartError where every call was refused for its credentials: then nothing was checked
 */
export function toReport(results: Result[], targets: Report['targets']): Report {
  const called = results.filter(({ request }) => request !== undefined);
  if (called.length > 0 && called.every(({ refused }) => refused)) {
    throw new StartError(
      'The target refused the credentials of every call; see --gateway-token and --storage-header.',
    );
  }
  const count = (outcome: Outcome) => results.filter((r) => r.outcome === outcome).length;
  const summary = {
    pass: count('pass'),
    fail: count('fail'),
    error: count('error'),
    skip: count('skip'),
    required: results.filter(({ required }) => required).length,
  };
  return { targets, summary, exitCode: toExitCode(summary), results };
}

function toExitCode({ fail, error, required }: Report['summary']): Report['exitCode'] {
  if (fail > 0) return 1;
  if (error > 0) return 4;
  return required > 0 ? 3 : 0;
}
