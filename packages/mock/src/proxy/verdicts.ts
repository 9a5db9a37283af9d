import type { Violation } from '@berth/server-stubs';
import type { CallRecord } from '../session/call-record.ts';

export interface Verdict {
  readonly method: string;
  /** Without secrets. */
  readonly target: string;
  readonly status: number;
  readonly violations: readonly Violation[];
  readonly answerViolations: readonly Violation[];
}

/** Findings about all forwarded calls. */
export interface Verdicts {
  readonly calls: number;
  /** Calls whose request or response breaks the contract. */
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
    add({ request, violations, answerViolations }, status) {
      calls += 1;
      if (violations.length > 0) badRequests += 1;
      if (answerViolations.length > 0) badResponses += 1;
      if (violations.length === 0 && answerViolations.length === 0) return;
      const { method, target } = request;
      for (const listener of listeners) {
        listener({ method, target, status, violations, answerViolations });
      }
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}
