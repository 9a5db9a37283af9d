import { type Any, type Contract, toIdentity } from './read.ts';
import { constant } from './write.ts';

// Modules of constants: what packages need from the contract at run time, so that they load no JSON and a
// bundler can drop the rest.

interface ErrorRow {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly level?: string;
  /** In whole seconds. */
  readonly retryAfter?: number;
}

const operationsOf = (document: Any): Any[] =>
  Object.values<Any>(document.paths).flatMap(({ get, post }) => [get, post].filter(Boolean));

/** The operations of the storage API. The upload target has no fixed path. */
const storageOperations = ({ storage }: Contract): string[] =>
  operationsOf(storage)
    .map(({ operationId }) => operationId)
    .filter((id) => id !== 'uploadFile');

/** The limits that the client needs. */
const CLIENT_LIMITS = {
  linkMinSeconds: 'Minimum lifetime of a link (D22).',
  linkWarnSeconds: 'Lifetime above which the client warns (D22).',
  publicLinkSeconds: 'Lifetime of a public link (D22).',
  batchItems: 'Maximum number of items per call (D25).',
  batchConcurrency: 'Default number of parallel calls (D25).',
  avatarBytes: 'Maximum size of a user picture in bytes.',
};

export function toClientConstants(contract: Contract): string {
  const { gateway, storage, defaults } = contract;
  const { documents, sha256 } = toIdentity(contract);
  const versions = Object.entries(documents).map(([name, { version }]) => [name, { version }]);
  const { storageSignedHeaders: _, ...signature } = defaults.signature;
  const codesWithRetry = (kind: string) =>
    defaults.gatewayErrors.filter(({ retry }: Any) => retry === kind).map(({ code }: Any) => code);
  const [firstPath = ''] = Object.keys(storage.paths);
  const greedy = Object.values<Any>(gateway.components.parameters)
    .filter((parameter) => parameter['x-berth-greedy'])
    .map(({ name }) => name);
  const rows: readonly [name: string, value: unknown, text: string][] = [
    // One hash covers both documents.
    [
      'CONTRACT',
      { documents: Object.fromEntries(versions), sha256 },
      'The contract that this client was generated from.',
    ],
    ['GATEWAY_SERVER', gateway.servers[0].url, 'URL template for the gateway of an environment.'],
    [
      'GREEDY_PARAMETERS',
      greedy,
      'Path parameters that hold several raw segments (`x-berth-greedy`, D3).',
    ],
    ['ITEM_SUCCESS', defaults.itemCodes.success, 'Code of a list entry that succeeded.'],
    [
      'GATEWAY_RETRIES',
      { any: codesWithRetry('any'), idempotent: codesWithRetry('idempotent') },
      'Gateway codes after which a call may be retried: `any` call, or only `idempotent` ones (D6).',
    ],
    [
      'GATEWAY_HEADERS_SECONDS',
      defaults.limits.gatewayHeadersSeconds.value,
      "How long, in seconds, the gateway waits for a hosted service's response headers (D13).",
    ],
    [
      'STORAGE_PATH',
      firstPath.replace(/[^:]*$/, ''),
      'Path of every storage operation, up to the operation name.',
    ],
    [
      'IDEMPOTENT_OPERATIONS',
      storageOperations(contract).filter((id) => defaults.operations[id]?.idempotent),
      'Storage operations that are safe to execute twice (D26).',
    ],
    ...Object.entries(CLIENT_LIMITS).map(([name, text]): [string, number, string] => [
      name.replace(/[A-Z]/g, '_$&').toUpperCase(),
      defaults.limits[name].value,
      text,
    ]),
    ['SIGNATURE', signature, 'Constants for signature version 3 (D16, D17).'],
  ];
  const union = (name: string, sender: string, errors: readonly ErrorRow[]) =>
    `/** Known error codes of ${sender}. */\nexport type ${name} =${errors
      .map(({ code }) => `\n  | ${JSON.stringify(code)}`)
      .join('')};`;
  return [
    ...rows.map(([name, value, text]) => constant(name, text, value)),
    union('KnownGatewayErrorCode', 'the gateway', defaults.gatewayErrors),
    union('KnownStorageErrorCode', 'the storage API', defaults.storageErrors),
    union('KnownUploadErrorCode', 'the upload target', defaults.uploadErrors),
  ].join('\n\n');
}

/** The limits that routers and engine enforce. */
const ENFORCED_LIMITS = [
  ...['gatewayBodyBytes', 'storageBodyBytes', 'batchItems', 'uploadBytes', 'pathBytes'],
  ...['grantSeconds', 'linkSeconds', 'linkMinSeconds', 'linkMaxSeconds'],
  ...['clockWindowSeconds', 'uploadFormBytes', 'grantUploads'],
];

export function toStubsConstants(contract: Contract): string {
  const { storage, defaults } = contract;
  const { documents, sha256 } = toIdentity(contract);
  const limits = ENFORCED_LIMITS.map((name) => [name, defaults.limits[name].value]);
  return [
    constant('CONTRACT', 'The contract that the routers were generated from.', {
      documents,
      sha256,
    }),
    constant('CORS', 'Cross-origin rules (D11).', defaults.cors),
    constant(
      'LIMITS',
      'Limits that the routers and the engine enforce. Each name includes the unit.',
      Object.fromEntries(limits),
    ),
    constant(
      'COPY_PATH_PATTERN',
      'Pattern that copy paths must match (D24).',
      storage.components.schemas.FilePath['x-berth-item-pattern'],
    ),
    constant('ITEM_SUCCESS', 'Code of a successful item.', defaults.itemCodes.success),
    constant('SIGNATURE', 'Constants for signatures (D16, D17).', defaults.signature),
  ].join('\n\n');
}

export function toErrorTables({ defaults }: Contract): string {
  const { gatewayErrors, storageErrors, uploadErrors } = defaults;
  const ofLevel = (wanted: string) =>
    storageErrors.filter(({ level }: ErrorRow) => level === wanted);
  return [
    constant('GATEWAY_ERRORS', 'Gateway errors (D6).', toTable(gatewayErrors)),
    constant(
      'STORAGE_ERRORS',
      'Errors for an entire storage call (D26).',
      toTable(ofLevel('call')),
    ),
    constant(
      'STORAGE_ITEM_ERRORS',
      'Errors for one entry in a result list (D26).',
      toTable(ofLevel('item')),
    ),
    constant('UPLOAD_ERRORS', 'Upload target errors (D27).', toTable(uploadErrors)),
  ].join('\n\n');
}

/** Omits the fields that are not needed at run time. */
export function toTable(rows: readonly ErrorRow[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    rows.map(({ code, status, message, retryAfter }) => [code, { status, message, retryAfter }]),
  );
}

/** The names that the conformance suite uses: of rules and operations. */
export function toRuleIds({ rules }: Contract): string {
  const ids = rules.rules.map(({ id }) => `  | '${id}'`).join('\n');
  return `/** Every rule that deployments are checked against. */\nexport type RuleId =\n${ids};`;
}

export function toStorageOperations(contract: Contract): string {
  const operations = storageOperations(contract);
  const changing = operations.filter(
    (id) => contract.defaults.operations[id]?.changesFiles !== false,
  );
  return [
    constant('STORAGE_OPERATIONS', 'The operations of the storage API.', operations),
    constant('CHANGING_OPERATIONS', 'The operations that change files.', changing),
  ].join('\n\n');
}

export function toDefaultProfile({ profile: { $schema: _, ...profile } }: Contract): string {
  return constant('DEFAULT_WIRE_PROFILE', "The contract's neutral names (D1).", profile);
}
