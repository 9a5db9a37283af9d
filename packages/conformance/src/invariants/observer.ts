import { toEvidence } from './context/to-evidence.ts';
import { toContract } from './contract/openapi.ts';
import { findRule } from './contract/rules.ts';
import type { SentenceId } from './generated/rule-ids.gen.ts';
import type { Exchange } from './http/exchange.ts';
import { type Facts, INVARIANTS, type Invariant } from './invariants.ts';
import { type Settings, whyLeftOut } from './options.ts';
import { type Finding, MAX_FINDINGS } from './result.ts';
import { ResponseValidator } from './validation/check-response.ts';
import { readReply } from './validation/read-storage.ts';

const invariants = Object.entries(INVARIANTS) as [SentenceId, Invariant][];

/** Checks the responses of a run to service calls and storage operations against the invariants. */
export class Observer {
  readonly #settings: Settings;
  readonly #validator: ResponseValidator;
  readonly #selected: typeof invariants;
  readonly #observed = new Map<SentenceId, ReturnType<typeof createObserved>>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#validator = new ResponseValidator(toContract(settings.wireProfile));
    this.#selected = invariants.filter(([id]) => whyLeftOut([id], settings) === undefined);
  }

  /** Checks a response against all selected invariants that apply to it. */
  observe(exchange: Exchange): void {
    const facts = this.#toFacts(exchange);
    for (const [id, invariant] of facts ? this.#selected : []) {
      const results = invariant(facts as Facts);
      // Otherwise, the sentence is not about this response.
      if (results.length > 0) this.#record(id, results.length, toFindings(id, results), exchange);
    }
  }

  /** Returns how a response violates the rules with level MUST, whatever the operator has selected. */
  validate(exchange: Exchange): Finding[] {
    const facts = this.#toFacts(exchange);
    if (facts === undefined) return [];
    return invariants
      .filter(([id]) => findRule(id).level === 'must')
      .flatMap(([id, invariant]) => toFindings(id, invariant(facts)));
  }

  /** Returns what was observed; undefined if no response was one that the invariant is about. */
  resultOf(id: SentenceId) {
    return this.#observed.get(id);
  }

  #record(id: SentenceId, assertions: number, findings: Finding[], exchange: Exchange): void {
    const observed = this.#observed.get(id) ?? createObserved();
    this.#observed.set(id, observed);
    observed.responses += 1;
    observed.assertions += assertions;
    if (findings.length > 0) observed.violations += 1;
    for (const finding of findings) {
      if (observed.findings.length >= MAX_FINDINGS) return;
      observed.findings.push({ ...finding, ...toEvidence(exchange) });
    }
  }

  /** Returns `undefined` for a call that is not to an operation. */
  #toFacts(exchange: Exchange): Facts | undefined {
    const operationId = this.#findOperation(exchange);
    if (operationId === undefined) return undefined;
    const reply = readReply(exchange, this.#settings.wireProfile.envelope);
    return { ...reply, operationId, settings: this.#settings, validator: this.#validator };
  }

  #findOperation({ sent: { method, url } }: Exchange): string | undefined {
    const { gatewayUrl, storageUrl } = this.#settings;
    const [path = ''] = url.split('?', 1);
    const gateway = `${gatewayUrl}/v1/cloudrun/`;
    if ((method === 'GET' || method === 'POST') && path.startsWith(gateway)) {
      const [name, ...rest] = path.slice(gateway.length).split('/');
      const isRoot = rest.join('/') === '';
      return name === '' ? undefined : `cloudrun-${method.toLowerCase()}${isRoot ? '-root' : ''}`;
    }
    const storage = `${storageUrl}/api/v2/envs/`;
    if (method !== 'POST' || !path.startsWith(storage)) return undefined;
    const [, name = ''] = /^[^/]+\/storages:(\w+)$/.exec(path.slice(storage.length)) ?? [];
    return this.#validator.hasOperation('storage', name) ? name : undefined;
  }
}

const createObserved = () => ({
  responses: 0,
  violations: 0,
  assertions: 0,
  findings: [] as Finding[],
});

function toFindings(id: SentenceId, results: ReturnType<Invariant>): Finding[] {
  const where = findRule(id).places[0] ?? id;
  return results.flatMap((result): Finding[] => {
    if ('message' in result) return [{ ...result, sentence: id }];
    return result[0] ? [] : [{ message: result[1], where, sentence: id }];
  });
}
