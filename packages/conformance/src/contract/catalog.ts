import gateway from '@berth/spec/gateway.v1.openapi30.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.openapi30.json' with { type: 'json' };
import {
  APIS,
  type Api,
  type DocumentedResponse,
  documents,
  findResponse,
  listResponses,
  type OpenapiDocument,
  toContract,
} from './openapi.ts';
import { type Level, rules } from './rules.ts';

/** What a test needs that an operator may not have. */
export type Need =
  | 'fixture'
  | 'webSocket'
  | 'bearer'
  | 'signature'
  | 'otherEnvToken'
  | 'forbiddenService'
  | 'storageCredentials'
  /** Stores files: all other tests make changing calls only for files that do not exist. */
  | 'writes'
  | 'dredd';

/** What a run has one result for: a rule, a documented response that Dredd requests, or a workflow that Respect runs. */
export interface Test {
  /** What makes its calls. */
  engine: 'rules' | 'dredd' | 'respect';
  /** `GW-C1`, `storage batchDelete 200 application/json` or `copy-file`. */
  id: string;
  level: Level;
  /** The sentence of the contract that it checks. */
  statement: string;
  api: Api;
  /** The sentences of a rule by their IDs. */
  sentences?: Readonly<Record<string, string>>;
}

/** A test, or a check of a sentence, with what it needs. */
export interface Runnable extends Pick<Test, 'engine' | 'id' | 'api'> {
  needs: readonly Need[];
}

/** The contract in OpenAPI 3.0, which Dredd needs. */
export const copies = { gateway, storage } as unknown as Record<Api, OpenapiDocument>;

export interface Transaction extends Test, DocumentedResponse {
  engine: 'dredd';
  needs: readonly Need[];
  /** Where the document in OpenAPI 3.1 defines it. */
  place: string;
}

const contract = toContract();

/** The documented responses that Dredd can request. The others are left to the checks for individual rules. */
export const transactions: readonly Transaction[] = APIS.flatMap((api) =>
  listResponses(api, copies[api]).flatMap((documented): Transaction | [] => {
    const { operationId, status, contentType } = documented;
    // No request causes a 500 on an arbitrary deployment, and the fixture service accepts commands only below its root.
    const isUnreachable =
      status === '500' || (operationId.endsWith('-root') && contentType === 'text/plain');
    if (contentType === undefined || isUnreachable) return [];
    const { name } = documents[api];
    const found = findResponse(contract, documented, Number(status));
    return {
      ...documented,
      engine: 'dredd',
      id: `${api} ${operationId} ${status} ${contentType}`,
      level: 'must',
      statement: `The response to ${operationId} matches what ${name} documents for ${status} ${contentType}.`,
      needs: needsOf(documented),
      place: `${name} ${found?.pointer}`,
    };
  }),
);

function needsOf({ api, status }: DocumentedResponse): Need[] {
  const ofGateway: Record<string, Need[]> = { 200: ['fixture'], 403: ['forbiddenService'] };
  if (api === 'gateway') return ['dredd', ...(ofGateway[status] ?? [])];
  return ['dredd', 'storageCredentials'];
}

/** The workflows that run on their own. Those in other documents than `files` start with steps that are in `files`. */
const WORKFLOWS: [id: string, file: string, statement: string][] = [
  ['upload-file', 'files', 'Upload a file in two steps.'],
  ['download-file', 'files', 'Upload a file and download it through a link.'],
  ['delete-file', 'files', 'Upload a file and delete it.'],
  ['copy-file', 'copy', 'Copy a file and keep its source.'],
  ['copy-without-overwriting', 'overwrite', 'Copy a file without overwriting one.'],
  ['move-file', 'move', 'Move a file, so that its source no longer exists.'],
  ['call-service', 'gateway', 'Call the root and another path of a hosted service.'],
  ['call-missing-service', 'gateway', 'Call a hosted service that does not exist.'],
  ['call-without-credentials', 'gateway', 'Call a service without credentials.'],
];

export interface Workflow extends Test {
  file: string;
  needs: readonly Need[];
}

export const workflows = WORKFLOWS.map(([id, file, statement]): Workflow => {
  const test = { engine: 'respect', id, level: 'must', statement, file } as const;
  return file === 'gateway'
    ? { ...test, api: 'gateway', needs: ['fixture'] }
    : { ...test, api: 'storage', needs: ['storageCredentials', 'writes'] };
});

/** All tests, in the order of a report. */
export const catalog: readonly Test[] = [...rules, ...transactions, ...workflows];

const sentenceIds = rules.flatMap((rule) => Object.keys(rule.sentences));

/** What `--known` may name: a test, or a sentence of a rule. */
export const IDS: ReadonlySet<string> = new Set([...catalog.map(({ id }) => id), ...sentenceIds]);

/** A test, or a sentence of a rule. */
type Selectable = Pick<Test, 'engine' | 'api' | 'id'>;

/**
 * Whether `--only` selects a test or a sentence: by the beginning of its ID, by its engine or by its API. The complete ID
 * of a rule does not select longer ones: `GW-SSE`, `GW-SSE-UNBUFFERED`.
 */
export function isSelected({ engine, api, id }: Selectable, only: readonly string[]): boolean {
  const isIn = (name: string) =>
    [id, engine, api].includes(name) || id.startsWith(IDS.has(name) ? `${name}/` : name);
  return only.length === 0 || only.some(isIn);
}

/** Whether a name in `--only` selects anything. */
export const selectsAny = (name: string): boolean =>
  catalog.some((test) =>
    [test.id, ...Object.keys(test.sentences ?? {})].some((id) =>
      isSelected({ ...test, id }, [name]),
    ),
  );
