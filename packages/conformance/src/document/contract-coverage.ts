import { type Bases, type ContractCall, findCall } from '../contract/find-call.ts';
import type { Api } from '../contract/openapi.ts';
import { isObject, type JsonObject } from '../contract/openapi.ts';
import { documents } from '../contract/operations.ts';
import { hasRule, rules } from '../contract/rules.ts';
import { type Exchange, readAll } from '../http/exchange.ts';
import type { Settings } from '../options.ts';
import type { Result } from '../result.ts';
import { toDocumented } from '../validation/check-response.ts';
import { isOwnError, toFacts } from '../validation/exchange-rules.ts';
import { toContractEnvelope } from '../validation/read-storage.ts';
import {
  type Coverage,
  type CoverageKind,
  createOperationCoverage,
  toCoverage,
} from './coverage.ts';
import { type ApiDocument, mapObjects, toApiDocument } from './load-document.ts';
import { type Known, listConstraints, listViolated, readDraft } from './observe.ts';
import { listOperations } from './plan.ts';

const BOTH: Known = new Set(['request', 'response']);

/**
 * Records which parts of the contract calls have covered, whichever check made them.
 *
 * @param whyNot returns why the calls cannot cover a rule. Default: they can cover all rules
 */
export function createContractCoverage(
  settings: Pick<Settings, 'apis' | 'envelope' | 'wireProfile' | 'rules'>,
  apis: readonly Api[] = settings.apis,
  whyNot: (rule: string) => string | undefined = () => undefined,
) {
  const watched = new Map(
    apis.flatMap((api) => {
      const { document, operations } = readContract(api);
      return operations.map(({ operation, constraints }) => {
        const coverage = createOperationCoverage(document, operation, constraints);
        const { operationId = operation.id } = operation;
        return [operationId, { api, document, operation, constraints, coverage }] as const;
      });
    }),
  );
  return {
    saw(exchange: Exchange, known = BOTH) {
      const call = findContractCall(exchange, {}, settings.wireProfile);
      const own = call && watched.get(call.operationId);
      if (call === undefined || exchange.sent.method !== own?.operation.method) return;
      const { document, operation, constraints, coverage } = own;
      const read = readDraft(document, operation, call.values, exchange, known);
      const draft = call.api === 'storage' ? { ...read, body: unwrap(read.body) } : read;
      const violated = listViolated(document, operation, draft, constraints, known);
      const { received } = exchange;
      const status = statusOf(call, exchange, settings);
      const json =
        call.api === 'storage'
          ? toContractEnvelope(received.json, settings, status)
          : received.json;
      coverage.called(draft, { status, header: received.header, json }, violated);
    },
    /** Rules without a result in `pass` or `fail` count as not seen. */
    toCoverage(results: readonly Result[]): Coverage {
      const checked = new Set(
        results
          .filter(({ engine, outcome }) => engine === 'rules' && /pass|fail/.test(outcome))
          .map(({ id }) => id),
      );
      const operations = [...watched].map(([operationId, { api, coverage }]) => {
        const own = rules.filter(
          (rule) => rule.operations.includes(operationId) && hasRule(settings.rules, rule.id),
        );
        const items = [
          ...coverage.items(),
          ...own.map(({ id }) => ({ kind: 'rules' as const, name: id, seen: checked.has(id) })),
        ];
        return {
          document: documents[api].name,
          operation: operationId,
          items: items.map((item) => {
            const { kind, name } = item;
            const reason =
              kind === 'rules' ? whyNot(name) : whyUnreachable(operationId, kind, name);
            return item.seen || reason === undefined ? item : { ...item, unreachable: reason };
          }),
        };
      });
      return toCoverage(operations, []);
    },
  };
}

/**
 * Returns the operation of the contract that was called. The upload target has no path of its own, so a form
 * counts as an upload if it has one of the fields that only uploads have.
 */
export function findContractCall(
  { sent }: Exchange,
  bases: Bases,
  { uploadFields }: Settings['wireProfile'],
): ContractCall | undefined {
  const call = findCall(sent, bases);
  if (call !== undefined) return call;
  const [type = ''] = readAll(sent.headers, 'content-type');
  if (sent.method !== 'POST' || !/^multipart\/form-data/i.test(type)) return undefined;
  const names = [uploadFields.securityToken, uploadFields.metaFileId];
  const isUpload = names.some((name) => sent.body.includes(`name="${name}"`));
  return isUpload ? { api: 'storage', operationId: 'uploadFile', values: {}, base: '' } : undefined;
}

/** The documented response that applies: any response of a hosted service is that for 200. */
function statusOf(
  { api, operationId, values }: ContractCall,
  exchange: Exchange,
  settings: Pick<Settings, 'envelope' | 'wireProfile'>,
): number {
  const { status } = exchange.received;
  if (api === 'storage') {
    return operationId === 'uploadFile' ? status : toDocumented({ api, operationId }, status);
  }
  return isOwnError(toFacts(exchange, settings, operationId, values.name)) ? status : 200;
}

/** The fields of a request are the same in both of its forms (D21). */
function unwrap(body: unknown): unknown {
  const isWrapped =
    isObject(body) && isObject(body.data) && !('path' in body || 'fileList' in body);
  return isWrapped ? body.data : body;
}

/** A process with many runs reads the contract once. */
const contracts = new Map<Api, ReturnType<typeof read>>();

function readContract(api: Api) {
  const known = contracts.get(api) ?? read(api);
  contracts.set(api, known);
  return known;
}

function read(api: Api) {
  const document = toContractDocument(api);
  const operations = listOperations(document).map((operation) => ({
    operation,
    constraints: listConstraints(document, operation),
  }));
  return { document, operations };
}

/** The contract as a document, in one form of each request and with all media types of each response. */
function toContractDocument(api: Api): ApiDocument {
  const { document, name } = documents[api];
  const root = mapObjects(document, (node) => {
    const { 'x-berth-content': more, 'x-berth-unwrap': wrapper, ...rest } = node;
    if (isObject(more)) return { ...rest, content: { ...Object(rest.content), ...more } };
    if (wrapper === undefined || !Array.isArray(rest.oneOf)) return rest;
    const { oneOf, ...schema } = rest;
    return { ...schema, ...Object(oneOf[0]) };
  });
  return toApiDocument(name, root as JsonObject);
}

interface Unreachable {
  operations: RegExp;
  kind?: CoverageKind;
  names: RegExp;
  reason: string;
}

const GATEWAY = /^cloudrun-/;
const STORAGE = /^(getUploadMetaData|batch\w+)$/;

/** Parts of the contract that a run cannot cover on every correct deployment. */
const UNREACHABLE: readonly Unreachable[] = [
  {
    ...{ operations: /^(getUploadMetaData|batch\w+|uploadFile)$/, names: /^default\b/ },
    reason: 'no request makes a correct server fail',
  },
  {
    ...{ operations: STORAGE, kind: 'fields', names: /^200 body\.(code|message)$/ },
    reason: 'a deployment may report failures with status 200 (D20), but does not have to',
  },
  {
    ...{ operations: /-root$/, kind: 'mediaTypes', names: /^200 (?!application\/json)/ },
    reason: 'the root of the fixture service always responds with JSON',
  },
  {
    ...{ operations: GATEWAY, kind: 'constraints', names: /^body / },
    reason: 'the gateway forwards every body, and the hosted service decides',
  },
  {
    ...{ operations: /^uploadFile$/, kind: 'constraints', names: /^body required$/ },
    reason: 'a form without fields is sent instead',
  },
];

/** Returns why a run cannot cover a part of an operation, or `undefined` if it can. */
function whyUnreachable(operationId: string, kind: CoverageKind, name: string): string | undefined {
  return UNREACHABLE.find(
    (row) =>
      row.operations.test(operationId) &&
      (row.kind === undefined || row.kind === kind) &&
      row.names.test(name),
  )?.reason;
}
