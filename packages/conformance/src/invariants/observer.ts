import { type Api, toContract } from '../contract/openapi.ts';
import { findRule, placeOf } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Exchange } from '../http/exchange.ts';
import { toReportedCall } from '../http/reported-call.ts';
import { isSelected, type Settings } from '../options.ts';
import { type Finding, MAX_FINDINGS, type Scope } from '../result.ts';
import { ResponseValidator } from './check-response.ts';
import type { Claim } from './claims.ts';
import { GATEWAY_INVARIANTS, toServiceCall } from './gateway-invariants.ts';
import type { Invariant, OperationCall } from './invariant.ts';
import { STORAGE_INVARIANTS, toOperationReply } from './storage-invariants.ts';

const INVARIANTS = { ...GATEWAY_INVARIANTS, ...STORAGE_INVARIANTS };

export type InvariantId = keyof typeof INVARIANTS;

export const isInvariant = (id: string): id is InvariantId => id in INVARIANTS;

interface Observed {
  scope: Scope;
  findings: Finding[];
}

/** Checks the responses of a run to service calls and storage operations against the invariants. */
export class Observer {
  readonly #settings: Settings;
  readonly #validator: ResponseValidator;
  readonly #observed = new Map<string, Observed>();

  constructor(settings: Settings) {
    this.#settings = settings;
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

  resultOf(id: InvariantId): Observed | undefined {
    return this.#observed.get(id);
  }

  #check(exchange: Exchange, isIncluded: (id: SentenceId) => boolean) {
    const operation = this.#findOperation(exchange);
    if (operation === undefined) return [];
    const call: OperationCall = {
      ...exchange,
      operationId: operation.operationId,
      settings: this.#settings,
      checkSchema: () => this.#validator.checkResponse(operation, exchange.received),
    };
    return operation.api === 'gateway'
      ? check(GATEWAY_INVARIANTS, toServiceCall(call), isIncluded)
      : check(STORAGE_INVARIANTS, toOperationReply(call), isIncluded);
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

/** Returns the findings of each invariant that applies to a call. */
function check<Call extends OperationCall>(
  invariants: Readonly<Partial<Record<SentenceId, Invariant<Call>>>>,
  call: Call,
  isIncluded: (id: SentenceId) => boolean,
) {
  const all = Object.entries(invariants) as [SentenceId, Invariant<Call>][];
  return all.flatMap(([id, invariant]) => {
    const results = isIncluded(id) ? invariant(call) : undefined;
    return results ? [{ id, findings: toFindings(id, results) }] : [];
  });
}

function toFindings(id: SentenceId, results: readonly (Claim | Finding)[]): Finding[] {
  const where = placeOf(findRule(id));
  return results.flatMap((result): Finding[] => {
    if ('message' in result) return [{ ...result, sentence: id }];
    return result[0] ? [] : [{ message: result[1], where, sentence: id }];
  });
}
