import { toContract } from '../contract/openapi.ts';
import { findRule, placeOf } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Exchange } from '../http/exchange.ts';
import { toReportedCall } from '../http/reported-call.ts';
import { isSelected, type Settings } from '../options.ts';
import { type Finding, MAX_FINDINGS, type Scope } from '../result.ts';
import { ResponseValidator } from './check-response.ts';
import type { Claim } from './claims.ts';
import { findOperation, type Invariants, toObservedCall } from './invariant.ts';

interface Observed {
  scope: Scope;
  findings: Finding[];
}

/** Checks the responses of a run to service calls and storage operations against the invariants. */
export class Observer {
  readonly #settings: Settings;
  readonly #invariants: Invariants;
  readonly #validator: ResponseValidator;
  readonly #observed = new Map<string, Observed>();

  constructor(settings: Settings, invariants: Invariants) {
    this.#settings = settings;
    this.#invariants = invariants;
    this.#validator = new ResponseValidator(toContract(settings.wireProfile));
  }

  observe(exchange: Exchange): void {
    const { only } = this.#settings;
    const isIncluded = (id: SentenceId) => isSelected({ engine: 'rules', id }, only);
    for (const { id, findings } of this.#check(exchange, isIncluded)) {
      const scope = { responses: 0, violations: 0 };
      const observed = this.#observed.get(id) ?? { scope, findings: [] };
      this.#observed.set(id, observed);
      observed.scope.responses += 1;
      if (findings.length > 0) observed.scope.violations += 1;
      const more = findings.slice(0, MAX_FINDINGS - observed.findings.length);
      observed.findings.push(...more.map((one) => ({ ...one, ...toReportedCall(exchange) })));
    }
  }

  /** Returns how a response violates the rules with level MUST, whatever the operator has selected. */
  validate(exchange: Exchange): Finding[] {
    const isRequired = (id: SentenceId) => findRule(id).level === 'must';
    return this.#check(exchange, isRequired).flatMap(({ findings }) => findings);
  }

  /** Whether a sentence has an invariant. */
  observes(id: string): boolean {
    return this.#invariants.has(id as SentenceId);
  }

  resultOf(id: string): Observed | undefined {
    return this.#observed.get(id);
  }

  /** Returns the findings of each invariant that applies to a call. */
  #check(exchange: Exchange, isIncluded: (id: SentenceId) => boolean) {
    const operation = findOperation(exchange.sent, this.#settings);
    if (operation === undefined) return [];
    const call = toObservedCall(exchange, operation, this.#settings, () =>
      this.#validator.checkResponse(operation, exchange.received),
    );
    return [...this.#invariants].flatMap(([id, invariant]) => {
      const isApplicable = findRule(id).api === operation.api && isIncluded(id);
      const results = isApplicable ? invariant(call) : undefined;
      return results ? [{ id, findings: toFindings(id, results) }] : [];
    });
  }
}

function toFindings(id: SentenceId, results: readonly (Claim | Finding)[]): Finding[] {
  const where = placeOf(findRule(id));
  return results.flatMap((result): Finding[] => {
    if ('message' in result) return [{ ...result, sentence: id }];
    return result[0] ? [] : [{ message: result[1], where, sentence: id }];
  });
}
