import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { findRule, placeOf } from '../contract/catalog.ts';
import {
  APIS,
  type Contract,
  dereference,
  findResponse,
  joinPointer,
  toContract,
} from '../contract/openapi.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { type Call, type Exchange, type Received, toMediaType } from '../http/exchange.ts';
import { readEcho, readFixtureResponse } from '../http/fixture-protocol.ts';
import { readReply } from '../http/read-response.ts';
import type { Settings } from '../options.ts';
import { type Finding, MAX_FINDINGS, withEvidence } from '../results/result.ts';
import { gatewayInvariants } from './gateway.ts';
import type { Claim, Invariant, ObservedCall, Operation } from './invariant.ts';
import { storageInvariants } from './storage.ts';

const invariants = { ...gatewayInvariants, ...storageInvariants };

/** A sentence that has an invariant. */
export type InvariantId = keyof typeof invariants;

const INVARIANTS = new Map(Object.entries(invariants) as [InvariantId, Invariant][]);

/** How many responses an invariant applies to and how many violate it, with the first violations. */
export interface Tally {
  responses: number;
  violations: number;
  findings: Finding[];
}

/** Checks the responses of a run to service calls and storage operations against the invariants. */
export class Observer {
  readonly #settings: Settings;
  readonly #validator: ResponseValidator;
  readonly #tallies = new Map<string, Tally>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#validator = new ResponseValidator(toContract(settings.wireProfile));
  }

  observe(exchange: Exchange): void {
    const isIncluded = (id: SentenceId) => this.#settings.selects(findRule(id), id);
    for (const { id, findings } of this.#check(exchange, isIncluded)) {
      const tally = this.#tallies.get(id) ?? { responses: 0, violations: 0, findings: [] };
      this.#tallies.set(id, tally);
      tally.responses += 1;
      if (findings.length > 0) tally.violations += 1;
      tally.findings.push(...findings.slice(0, MAX_FINDINGS - tally.findings.length));
    }
  }

  /** Returns how a response violates the rules with level MUST, whatever the operator has selected. */
  validate(exchange: Exchange): Finding[] {
    const isRequired = (id: SentenceId) => findRule(id).level === 'must';
    return this.#check(exchange, isRequired).flatMap(({ findings }) => findings);
  }

  hasInvariant(id: string): boolean {
    return INVARIANTS.has(id as InvariantId);
  }

  tallyOf(id: string): Tally | undefined {
    return this.#tallies.get(id);
  }

  #check(exchange: Exchange, isIncluded: (id: SentenceId) => boolean) {
    const operation = findOperation(exchange.sent, this.#settings);
    if (operation === undefined) return [];
    const call = this.#toObservedCall(exchange, operation);
    return [...INVARIANTS].flatMap(([id, invariant]) => {
      const isApplicable = findRule(id).api === operation.api && isIncluded(id);
      const results = isApplicable ? invariant(call) : undefined;
      return results ? [{ id, findings: toFindings(id, results, call) }] : [];
    });
  }

  #toObservedCall(exchange: Exchange, operation: Operation): ObservedCall {
    const settings = this.#settings;
    const fixturePath = operation.service === settings.service ? operation.rest : undefined;
    const echo = readEcho(exchange);
    return {
      ...exchange,
      ...operation,
      settings,
      checkSchema: () => this.#validator.checkResponse(operation, exchange.received),
      fixturePath,
      echo,
      fixtureResponse: echo ? undefined : readFixtureResponse(exchange, fixturePath ?? ''),
      reply: readReply(exchange, settings.wireProfile.envelope),
    };
  }
}

function toFindings(id: SentenceId, results: readonly (Claim | Finding)[], exchange: Exchange) {
  const where = placeOf(findRule(id));
  return results.flatMap((result): Finding[] => {
    if ('message' in result) return [withEvidence({ ...result, sentence: id }, exchange)];
    const [holds, message] = result;
    return holds ? [] : [withEvidence({ message, where, sentence: id }, exchange)];
  });
}

/** Returns the operation that a call is for; `undefined` for calls that no `Invariant` checks. */
export function findOperation(
  { method, url }: Pick<Call, 'method' | 'url'>,
  { gatewayUrl, storageUrl }: Settings,
): Operation | undefined {
  const [path = ''] = url.split('?', 1);
  const gateway = `${gatewayUrl}/v1/cloudrun/`;
  if ((method === 'GET' || method === 'POST') && path.startsWith(gateway)) {
    const [, service = '', rest = ''] = /^([^/]*)(.*)$/s.exec(path.slice(gateway.length)) ?? [];
    const isRoot = rest === '' || rest === '/';
    const operationId = `cloudrun-${method.toLowerCase()}${isRoot ? '-root' : ''}`;
    return service === '' ? undefined : { api: 'gateway', operationId, service, rest };
  }
  const operationId = STORAGE_OPERATIONS.find((name) => path.endsWith(`/storages:${name}`));
  const isStorage = method === 'POST' && path.startsWith(`${storageUrl}/api/v2/envs/`);
  return isStorage && operationId ? { api: 'storage', operationId } : undefined;
}

/** Keywords of OpenAPI and of the contract that do not validate. */
const ANNOTATIONS = ['example', 'xml', 'x-berth-item-pattern', 'x-berth-unwrap'];

export class ResponseValidator {
  readonly #contract: Contract;
  readonly #ajv: Ajv2020;

  constructor(contract: Contract) {
    this.#contract = contract;
    const { documents } = contract;
    // Ajv compiles the document that contains the schemas, so it must know its top-level keys.
    const rootKeys = new Set(APIS.flatMap((api) => Object.keys(documents[api].document)));
    const keywords = [...ANNOTATIONS, ...rootKeys];
    this.#ajv = new Ajv2020({ allErrors: true, strict: true, keywords });
    for (const api of APIS) {
      this.#ajv.addSchema(documents[api].document, documents[api].name, false, false);
    }
  }

  checkResponse(operation: Operation, received: Received): Finding[] {
    const status = toDocumented(operation, received.status);
    const documented = findResponse(this.#contract, operation, status, received.mediaType);
    const { name, document } = this.#contract.documents[operation.api];
    if (documented === undefined) {
      return [{ message: `the status ${received.status} is not documented`, where: name }];
    }
    const { contentType, pointer, response } = documented;
    const findings = Object.entries(response.headers ?? {}).flatMap(([header, node]) => {
      const found = dereference(document, node, `${pointer}/headers/${header}`);
      if (!found.value.required || received.header(header)) return [];
      return [{ message: `the ${header} header is required`, where: `${name} ${found.pointer}` }];
    });
    if (contentType === undefined) return findings;
    const actual = received.header('content-type');
    const where = joinPointer(pointer, 'content', contentType, 'schema');
    if (actual === undefined || toMediaType(actual) !== contentType) {
      const found = actual === undefined ? 'but it is missing' : `not ${actual}`;
      const message = `the content type must be ${contentType}, ${found}`;
      findings.push({ message, where: `${name} ${pointer}/content` });
    } else if (received.json === undefined) {
      findings.push({ message: 'the body must be JSON', where: `${name} ${where}` });
    } else {
      const validate = this.#ajv.getSchema(`${name}${where}`);
      if (validate === undefined) throw new Error(`${name}${where} is not a schema.`);
      if (validate(received.json)) return findings;
      const [first] = Object.values(response.content?.[contentType]?.examples ?? {});
      const example = first && JSON.stringify(dereference(document, first, pointer).value.value);
      const violations = (validate.errors ?? []).map((error) => toFinding(name, where, error));
      findings.push(...violations.map((violation) => ({ ...violation, example })));
    }
    return findings;
  }
}

function toFinding(name: string, where: string, error: ErrorObject): Finding {
  const place = error.instancePath.slice(1).replaceAll('/', '.') || 'the body';
  // Ajv counts from the root of the document if it followed a `$ref`, otherwise from the schema.
  const path = error.schemaPath.slice(error.schemaPath.indexOf('#'));
  const pointer = path.startsWith('#/components/') ? path : `${where}${path.slice(1)}`;
  return { message: `${place} ${error.message}`, where: `${name} ${pointer}` };
}

/** A storage call other than a copy may succeed with any 2xx, so the response for 200 applies (D20). */
export function toDocumented({ api, operationId }: Operation, status: number): number {
  const allowsAny2xx = api === 'storage' && operationId !== 'batchCopyFile';
  return allowsAny2xx && status >= 200 && status < 300 ? 200 : status;
}
