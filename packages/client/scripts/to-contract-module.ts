import { greedyParameters } from './greedy-parameters.ts';

type Coded = readonly { code: string }[];
type Retried = readonly { code: string; retry: string }[];

/** What the constants are made of: exports of `@berth/spec`. */
export interface ContractParts {
  contract: { documents: Record<string, { version: string; sha256: string }>; sha256: string };
  defaults: {
    gatewayErrors: Retried;
    storageErrors: Coded;
    uploadErrors: Coded;
    itemCodes: { success: string };
    operations: Record<string, { idempotent: boolean }>;
    limits: Record<(typeof LIMITS)[number] | 'gatewayHeadersSeconds', { value: number }>;
    signature: { storageSignedHeaders: string };
  };
  gateway: { servers: readonly { url: string }[] };
  storage: { paths: Record<string, { post?: { operationId?: string } }> };
  profile: { gatewayHeaders: { upstreamStatus: string } };
}

/** The limits of `spec/defaults/limits.yaml` that the client obeys. */
const LIMITS = [
  'linkMinSeconds',
  'linkWarnSeconds',
  'linkMaxSeconds',
  'publicLinkSeconds',
  'batchItems',
  'batchConcurrency',
  'avatarBytes',
] as const;

/**
 * Source of `contract.gen.ts`: one constant for each thing that the client needs at run time, so that
 * a bundler can drop the rest, and types for what it needs at compile time only.
 */
export function toContractModule({
  contract,
  defaults,
  gateway,
  storage,
  profile,
}: ContractParts): string {
  const { documents, sha256 } = contract;
  const limits = Object.fromEntries(LIMITS.map((name) => [name, defaults.limits[name].value]));
  const { storageSignedHeaders: __, ...signature } = defaults.signature;
  const { $schema: _, ...names } = profile as { $schema?: string };
  return [
    constant('CONTRACT', 'The contract that this client was generated from.', {
      documents,
      sha256,
    }),
    constant(
      'GATEWAY_SERVER',
      'Address of the gateway of one environment, a template.',
      gateway.servers[0]?.url,
    ),
    constant(
      'GREEDY_PARAMETERS',
      'Path parameters that hold several raw segments (`x-berth-greedy`, D3).',
      greedyParameters(gateway),
    ),
    constant('DEFAULT_WIRE_PROFILE', 'The neutral names of the contract (D1).', names),
    constant(
      'UPSTREAM_STATUS',
      "Header that carries the hosted service's own status, where no profile names another (D10).",
      profile.gatewayHeaders.upstreamStatus,
    ),
    constant(
      'ITEM_SUCCESS',
      'Code of an entry of a list that succeeded.',
      defaults.itemCodes.success,
    ),
    constant(
      'GATEWAY_RETRIES',
      'Codes of the gateway after which a call may be repeated: `any` call, or `idempotent` ones (D6).',
      { any: withRetry(defaults, 'any'), idempotent: withRetry(defaults, 'idempotent') },
    ),
    constant(
      'GATEWAY_HEADERS_SECONDS',
      'Time that the gateway gives a hosted service until its response headers (D13).',
      defaults.limits.gatewayHeadersSeconds.value,
    ),
    constant(
      'STORAGE_OPERATIONS',
      'Path of each storage operation, and whether it may be executed twice (D26).',
      toOperations(storage, defaults.operations),
    ),
    constant('LIMITS', 'Limits that the client obeys (D22, D25).', limits),
    constant('SIGNATURE', 'Constants of signature version 3 (D16, D17).', signature),
    union(
      'KnownGatewayErrorCode',
      'Codes that the gateway is known to send.',
      defaults.gatewayErrors,
    ),
    union(
      'KnownStorageErrorCode',
      'Codes that the storage API is known to send.',
      defaults.storageErrors,
    ),
    union(
      'KnownUploadErrorCode',
      'Codes that the upload target is known to send.',
      defaults.uploadErrors,
    ),
  ].join('\n\n');
}

function withRetry({ gatewayErrors }: ContractParts['defaults'], kind: string): string[] {
  return gatewayErrors.filter(({ retry }) => retry === kind).map(({ code }) => code);
}

function toOperations(
  { paths }: ContractParts['storage'],
  operations: ContractParts['defaults']['operations'],
) {
  const rows = Object.entries(paths).flatMap(([path, { post }]) => {
    const idempotent = operations[post?.operationId ?? '']?.idempotent;
    return idempotent === undefined ? [] : [[post?.operationId, { path, idempotent }]];
  });
  return Object.fromEntries(rows);
}

function constant(name: string, text: string, value: unknown): string {
  return `/** ${text} */\nexport const ${name} = ${JSON.stringify(value, null, 2)} as const;`;
}

function union(name: string, text: string, rows: Coded): string {
  const codes = rows.map(({ code }) => `\n  | ${JSON.stringify(code)}`);
  return `/** ${text} */\nexport type ${name} =${codes.join('')};`;
}
