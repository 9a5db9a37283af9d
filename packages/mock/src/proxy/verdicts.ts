import type { Violation } from '@berth/server-stubs';
import type { CallRecord } from '../session/call-record.ts';

export interface Verdict {
  readonly method: string;
  /** Secrets removed. */
  readonly target: string;
  readonly status: number;
  readonly violations: readonly Violation[];
  readonly responseViolations: readonly Violation[];
}

/** The results of checking all forwarded calls. */
export interface Verdicts {
  readonly calls: number;
  /** Number of calls whose request or response breaks the contract. */
  readonly badRequests: number;
  readonly badResponses: number;
  add(record: CallRecord, status: number): void;
  /** Calls `listener` for each call that breaks the contract. */
  listen(listener: (verdict: Verdict) => void): void;
}

export function createVerdicts(): Verdicts {
  const listeners: ((verdict: Verdict) => void)[] = [];
  let calls = 0;
  let badRequests = 0;
  let badResponses = 0;
  return {
    get calls() {
      return calls;
    },
    get badRequests() {
      return badRequests;
    },
    get badResponses() {
      return badResponses;
    },
    add({ request, violations, responseViolations }, status) {
      calls += 1;
      if (violations.length > 0) badRequests += 1;
      if (responseViolations.length > 0) badResponses += 1;
      if (violations.length === 0 && responseViolations.length === 0) return;
      const { method, target } = request;
      for (const listener of listeners) {
        listener({ method, target, status, violations, responseViolations });
      }
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}
