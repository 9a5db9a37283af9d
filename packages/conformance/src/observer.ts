import { toContract } from './contract/openapi.ts';
import { findRule } from './contract/rules.ts';
import type { SentenceId } from './generated/rule-ids.gen.ts';
import type { Exchange } from './http/exchange.ts';
import { type Facts, INVARIANTS, type Invariant } from './invariants.ts';
import type { Settings } from './options.ts';
import type { Claim, Finding } from './result.ts';
import { ResponseValidator } from './validation/check-response.ts';
import { readReply } from './validation/read-storage.ts';

/** Maximum number of findings that are kept for each invariant. */
const MAX_FINDINGS = 20;

/** What the responses of a run show about one invariant. */
interface Observed {
  responses: number;
  violations: number;
  assertions: number;
  readonly findings: Finding[];
}

/** Checks the responses of a run to service calls and storage operations against the invariants. */
export class Observer {
  readonly #settings: Settings;
  readonly #validator: ResponseValidator;
  readonly #invariants: readonly (readonly [SentenceId, Invariant])[];
  readonly #toEvidence: (exchange: Exchange) => Partial<Finding>;
  readonly #observed = new Map<SentenceId, Observed>();

  /**
   * @param isSelected whether the operator has selected a sentence
   * @param toEvidence turns an exchange into what a finding shows of it
   */
  constructor(
    settings: Settings,
    isSelected: (id: SentenceId) => boolean,
    toEvidence: (exchange: Exchange) => Partial<Finding>,
  ) {
    this.#settings = settings;
    this.#validator = new ResponseValidator(toContract(settings.wireProfile));
    this.#toEvidence = toEvidence;
    const all = Object.entries(INVARIANTS) as [SentenceId, Invariant][];
    this.#invariants = all.filter(([id]) => isSelected(id));
  }

  /** Checks a response against all invariants that apply to it. */
  observe(exchange: Exchange): void {
    const operationId = this.#findOperation(exchange);
    if (operationId === undefined) return;
    const facts = this.#toFacts(exchange, operationId);
    for (const [id, invariant] of this.#invariants) this.#record(id, invariant(facts), facts);
  }

  /** Returns how a response violates the rules with level MUST, whatever the operator has selected. */
  validate(exchange: Exchange): Finding[] {
    const operationId = this.#findOperation(exchange);
    if (operationId === undefined) return [];
    const facts = this.#toFacts(exchange, operationId);
    const all = Object.entries(INVARIANTS) as [SentenceId, Invariant][];
    return all
      .filter(([id]) => findRule(id).level === 'must')
      .flatMap(([id, invariant]) => toFindings(id, invariant(facts)));
  }

  /** Returns what was observed; undefined if no response was one that the invariant is about. */
  resultOf(id: SentenceId): Observed | undefined {
    return this.#observed.get(id);
  }

  #toFacts(exchange: Exchange, operationId: string): Facts {
    const reply = readReply(exchange, this.#settings.wireProfile.envelope);
    return { ...reply, operationId, settings: this.#settings, validator: this.#validator };
  }

  #record(id: SentenceId, results: readonly (Claim | Finding)[], facts: Facts): void {
    // The sentence is not about this response.
    if (results.length === 0) return;
    const observed = this.#observed.get(id) ?? {
      responses: 0,
      violations: 0,
      assertions: 0,
      findings: [],
    };
    this.#observed.set(id, observed);
    const findings = toFindings(id, results);
    observed.responses += 1;
    observed.assertions += results.length;
    if (findings.length === 0) return;
    observed.violations += 1;
    for (const finding of findings) {
      if (observed.findings.length >= MAX_FINDINGS) return;
      observed.findings.push({ ...finding, ...this.#toEvidence(facts) });
    }
  }

  /** Returns the operation that a call is for; undefined for any other request. */
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

function toFindings(id: SentenceId, results: readonly (Claim | Finding)[]): Finding[] {
  const where = findRule(id).places[0] ?? id;
  return results.flatMap((result): Finding[] => {
    if ('message' in result) return [result];
    return result[0] ? [] : [{ message: result[1], where }];
  });
}
