import { join } from 'node:path';
import contract from '@berth/spec/contract.json' with { type: 'json' };
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { constant, toErrorTable, writeGenerated } from '../../../spec/scripts/codegen.ts';
import { toTypes } from '../../../spec/scripts/to-types.ts';

const GENERATOR = 'packages/client/scripts/generate.ts';

/** The limits of `spec/defaults/limits.yaml` that the client needs. */
const LIMITS = {
  linkMinSeconds: 'Minimum lifetime of a link (D22).',
  linkWarnSeconds: 'Lifetime above which the client warns (D22).',
  publicLinkSeconds: 'Lifetime of a public link (D22).',
  batchItems: 'Maximum number of items per call (D25).',
  batchConcurrency: 'Default number of parallel calls (D25).',
  avatarBytes: 'Maximum size of a user picture in bytes.',
} as const;

/**
 * Renders `contract.gen.ts`: one constant for each value needed at run time, so that bundlers can drop
 * the rest, and types for everything needed only at compile time.
 */
function toContractModule(): string {
  const { sha256 } = contract;
  // One hash covers both documents.
  const documents = Object.fromEntries(
    Object.entries(contract.documents).map(([name, { version }]) => [name, { version }]),
  );
  const { storageSignedHeaders: _, ...signature } = defaults.signature;
  const codesWithRetry = (kind: string) =>
    defaults.gatewayErrors.filter(({ retry }) => retry === kind).map(({ code }) => code);
  const retries = { any: codesWithRetry('any'), idempotent: codesWithRetry('idempotent') };
  const operations: Record<string, { idempotent: boolean }> = defaults.operations;
  const paths = Object.keys(storage.paths).filter((path) => path !== '/');
  const toId = (path: string) => path.replace(/^.*:/, '');
  const idempotent = paths.map(toId).filter((id) => operations[id]?.idempotent);
  const rows: readonly [name: string, value: unknown, text: string][] = [
    ['CONTRACT', { documents, sha256 }, 'The contract that this client was generated from.'],
    ['GATEWAY_SERVER', gateway.servers[0]?.url, 'URL template for the gateway of an environment.'],
    [
      'GREEDY_PARAMETERS',
      [...new Set(findGreedy(gateway))].sort(),
      'Path parameters that hold several raw segments (`x-berth-greedy`, D3).',
    ],
    ['ITEM_SUCCESS', defaults.itemCodes.success, 'Code of a list entry that succeeded.'],
    [
      'GATEWAY_RETRIES',
      retries,
      'Gateway codes after which a call may be retried: `any` call, or only `idempotent` ones (D6).',
    ],
    [
      'GATEWAY_HEADERS_SECONDS',
      defaults.limits.gatewayHeadersSeconds.value,
      "How long, in seconds, the gateway waits for a hosted service's response headers (D13).",
    ],
    [
      'STORAGE_PATH',
      paths[0]?.replace(/[^:]*$/, ''),
      'Path of every storage operation, up to the operation name.',
    ],
    [
      'IDEMPOTENT_OPERATIONS',
      idempotent,
      'Storage operations that are safe to execute twice (D26).',
    ],
    ...Object.entries(LIMITS).map(([name, text]): [string, number, string] => [
      toConstantName(name),
      defaults.limits[name as keyof typeof LIMITS].value,
      text,
    ]),
    ['SIGNATURE', signature, 'Constants for signature version 3 (D16, D17).'],
  ];
  return [
    ...rows.map(([name, value, text]) => constant(name, text, value)),
    union('KnownGatewayErrorCode', 'the gateway', defaults.gatewayErrors),
    union('KnownStorageErrorCode', 'the storage API', defaults.storageErrors),
    union('KnownUploadErrorCode', 'the upload target', defaults.uploadErrors),
  ].join('\n\n');
}

/** Returns the names of all path parameters that a document marks with `x-berth-greedy`. */
function findGreedy(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { name, in: place, 'x-berth-greedy': greedy } = node as Record<string, unknown>;
  const here = greedy === true && place === 'path' ? [String(name)] : [];
  return [...here, ...Object.values(node).flatMap(findGreedy)];
}

/** Turns `batchItems` into `BATCH_ITEMS`. */
function toConstantName(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

function union(name: string, sender: string, rows: readonly { code: string }[]): string {
  const codes = rows.map(({ code }) => `\n  | ${JSON.stringify(code)}`);
  return `/** Known error codes of ${sender}. */\nexport type ${name} =${codes.join('')};`;
}

/** The limits of `spec/defaults/limits.yaml` that the handlers enforce. */
const ENFORCED_LIMITS = [
  'batchItems',
  'grantSeconds',
  'linkMaxSeconds',
  'linkMinSeconds',
  'linkSeconds',
  'pathBytes',
] as const;

/** The schema keywords to keep: just enough to find a wrong JSON type or a missing field. */
const KEYWORDS = ['type', 'required', 'properties', 'items', 'x-berth-item-pattern'];

/** Renders `msw.gen.ts`: everything that the MSW handlers need from the contract and the client does not. */
function toMswModule(): string {
  const { gatewayErrors, storageErrors, uploadErrors, limits, cors } = defaults;
  return [
    constant('GATEWAY_ERRORS', 'Gateway errors (D6).', toErrorTable(gatewayErrors)),
    constant('STORAGE_ERRORS', 'Storage API errors (D26).', toErrorTable(storageErrors)),
    constant('UPLOAD_ERRORS', 'Upload target errors (D27).', toErrorTable(uploadErrors)),
    constant(
      'SERVICE_NAME_PATTERN',
      'Pattern of hosted service names.',
      gateway.components.schemas.ServiceName.pattern,
    ),
    constant(
      'STORAGE_REQUESTS',
      'The top-level fields of each storage request (D21).',
      toRequests(),
    ),
    constant(
      'FILE_LIMITS',
      'Limits for lists, paths, links and grants (D22, D24, D25, D27).',
      Object.fromEntries(ENFORCED_LIMITS.map((name) => [name, limits[name].value])),
    ),
    constant('ALLOW_METHODS', 'Methods that cross-origin pages may use (D11).', cors.allowMethods),
  ].join('\n\n');
}

interface Node {
  readonly [key: string]: unknown;
}

/** Returns the top-level form of each JSON request body, by operation. */
function toRequests(): Node {
  const rows = Object.values(storage.paths).flatMap(({ post }: Node) => {
    const { operationId, requestBody } = post as Node;
    const { content } = resolve(requestBody) as { content: { [type: string]: { schema: Node } } };
    const schema = content['application/json']?.schema;
    // The first variant has the fields at the top level; the second one wraps them.
    const [first] = (schema?.oneOf ?? [schema]) as Node[];
    return first ? [[operationId, toShape(first)]] : [];
  });
  return Object.fromEntries(rows);
}

function toShape(schema: unknown): Node {
  const kept = Object.entries(resolve(schema)).filter(([keyword]) => KEYWORDS.includes(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'items') return [keyword, toShape(value)];
      if (keyword !== 'properties') return [keyword, value];
      const fields = Object.entries(value as Node).map(([name, field]) => [name, toShape(field)]);
      return [keyword, Object.fromEntries(fields)];
    }),
  );
}

/** Resolves a reference within the document, keeping its sibling keywords. */
function resolve(node: unknown): Node {
  const { $ref, ...beside } = node as Node & { $ref?: string };
  if ($ref === undefined) return beside;
  const steps = $ref.slice(2).split('/');
  const found = steps.reduce((at, step) => at[step] as Node, storage as Node);
  return { ...resolve(found), ...beside };
}

/** Generates everything that is derived from the contract: types and constants. */
await Promise.all([
  write('gateway.v1', await toTypes(gateway)),
  write('storage.v2', await toTypes(storage)),
  write('contract', toContractModule()),
  write('msw', toMswModule()),
]);

function write(name: string, text: string): Promise<void> {
  const file = join(import.meta.dirname, `../src/generated/${name}.gen.ts`);
  return writeGenerated(file, text, GENERATOR);
}
