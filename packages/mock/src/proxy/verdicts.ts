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

export class Verdicts {
  readonly #listeners: ((verdict: Verdict) => void)[] = [];
  calls = 0;
  /** Number of calls whose request or response breaks the contract. */
  badRequests = 0;
  badResponses = 0;

  add({ request, violations, responseViolations }: CallRecord, status: number): void {
    this.calls += 1;
    if (violations.length > 0) this.badRequests += 1;
    if (responseViolations.length > 0) this.badResponses += 1;
    if (violations.length === 0 && responseViolations.length === 0) return;
    const { method, target } = request;
    for (const listener of this.#listeners) {
      listener({ method, target, status, violations, responseViolations });
    }
  }

  /** Calls `listener` for each call that breaks the contract. */
  listen(listener: (verdict: Verdict) => void): void {
    this.#listeners.push(listener);
  }
}
