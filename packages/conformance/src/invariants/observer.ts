import { type Api, toContract } from '../contract/openapi.ts';
import { findRule, placeOf } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Exchange } from '../http/exchange.ts';
import { toReportedCall } from '../http/reported-call.ts';
import { isSelected, type Settings } from '../options.ts';
import { type Finding, MAX_FINDINGS, type Scope } from '../result.ts';
import { ResponseValidator } from '../validation/check-response.ts';
import type { Claim } from '../validation/claims.ts';
import { INVARIANTS, type Invariant } from './invariants.ts';

const invariants = (Object.entries(INVARIANTS) as [SentenceId, Invariant][]).map(([id, check]) => ({
  id,
  check,
  rule: findRule(id),
}));

interface Observed extends Scope {
  findings: Finding[];
}

/** Checks the responses of a run to service calls and storage operations against the invariants. */
export class Observer {
  readonly #settings: Settings;
  readonly #validator: ResponseValidator;
  readonly #selected: typeof invariants;
  readonly #observed = new Map<SentenceId, Observed>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#validator = new ResponseValidator(toContract(settings.wireProfile));
    this.#selected = invariants.filter(({ id }) =>
      isSelected({ engine: 'rules', id }, settings.only),
    );
  }

  observe(exchange: Exchange): void {
    for (const { id, findings } of this.#check(exchange, this.#selected)) {
      const observed = this.#observed.get(id) ?? { responses: 0, violations: 0, findings: [] };
      this.#observed.set(id, observed);
      observed.responses += 1;
      if (findings.length > 0) observed.violations += 1;
      const more = findings.slice(0, MAX_FINDINGS - observed.findings.length);
      observed.findings.push(...more.map((one) => ({ ...one, ...toReportedCall(exchange) })));
    }
  }

  /** Returns how a response violates the rules with level MUST, whatever the operator has selected. */
  validate(exchange: Exchange): Finding[] {
    const required = invariants.filter(({ rule }) => rule.level === 'must');
    return this.#check(exchange, required).flatMap(({ findings }) => findings);
  }

  resultOf(id: SentenceId): Observed | undefined {
    return this.#observed.get(id);
  }

  #check(exchange: Exchange, selected: typeof invariants) {
    const { api, operationId } = this.#findOperation(exchange) ?? {};
    if (operationId === undefined) return [];
    const call = { ...exchange, operationId, settings: this.#settings, validator: this.#validator };
    return selected.flatMap(({ id, check, rule }) => {
      const results = rule.api === api ? check(call) : undefined;
      return results ? [{ id, findings: toFindings(id, results) }] : [];
    });
  }

  #findOperation({ sent }: Exchange): { api: Api; operationId: string } | undefined {
    const { method, url } = sent;
    const { gatewayUrl, storageUrl } = this.#settings;
    const [path = ''] = url.split('?', 1);
    const gateway = `${gatewayUrl}/v1/cloudrun/`;
    if ((method === 'GET' || method === 'POST') && path.startsWith(gateway)) {
      const [name, ...rest] = path.slice(gateway.length).split('/');
      const isRoot = rest.join('/') === '';
      const operationId = `cloudrun-${method.toLowerCase()}${isRoot ? '-root' : ''}`;
      return name === '' ? undefined : { api: 'gateway', operationId };
    }
    const storage = `${storageUrl}/api/v2/envs/`;
    if (method !== 'POST' || !path.startsWith(storage)) return undefined;
    const [, name = ''] = /^[^/]+\/storages:(\w+)$/.exec(path.slice(storage.length)) ?? [];
    const operation = { api: 'storage', operationId: name } as const;
    return this.#validator.hasOperation(operation) ? operation : undefined;
  }
}

function toFindings(id: SentenceId, results: readonly (Claim | Finding)[]): Finding[] {
  const where = placeOf(findRule(id));
  return results.flatMap((result): Finding[] => {
    if ('message' in result) return [{ ...result, sentence: id }];
    return result[0] ? [] : [{ message: result[1], where, sentence: id }];
  });
}
