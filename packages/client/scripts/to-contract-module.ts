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
    limits: Record<keyof typeof LIMITS | 'gatewayHeadersSeconds', { value: number }>;
    signature: { storageSignedHeaders: string };
  };
  gateway: { servers: readonly { url: string }[] };
  storage: { paths: Record<string, { post?: { operationId?: string } }> };
  profile: {
    name: string;
    storageHeaders: object;
    uploadFields: object;
    storeFileID: string;
    gatewayHeaders: { upstreamStatus: string };
  };
}

/** The limits of `spec/defaults/limits.yaml` that the client obeys: a number can be inlined. */
const LIMITS = {
  linkMinSeconds: 'Shortest lifetime of a link (D22).',
  linkWarnSeconds: 'Longer lifetimes of a link are unusual (D22).',
  publicLinkSeconds: 'Lifetime of a public link (D22).',
  batchItems: 'Most items of one call (D25).',
  batchConcurrency: 'Calls under way at the same time (D25).',
  avatarBytes: 'Longest picture of a user, in bytes.',
} as const;

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
  const { storageSignedHeaders: __, ...signature } = defaults.signature;
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
    constant('PROFILE_NAME', 'Name of the neutral names of the contract (D1).', profile.name),
    constant('STORAGE_HEADERS', 'The three headers of a storage call.', profile.storageHeaders),
    constant(
      'UPLOAD_FIELDS',
      "The two form fields of an upload that carry a vendor's word.",
      profile.uploadFields,
    ),
    constant(
      'STORE_FILE_ID',
      'Field of the upload metadata that holds the ID in the object store.',
      profile.storeFileID,
    ),
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
    constant('STORAGE_PATH', 'Path of a storage operation, up to its name.', toCommonPath(storage)),
    constant(
      'IDEMPOTENT_OPERATIONS',
      'Storage operations that may be executed twice (D26).',
      idsOf(storage).filter((id) => defaults.operations[id]?.idempotent),
    ),
    ...Object.entries(LIMITS).map(([name, text]) =>
      constant(toConstantName(name), text, defaults.limits[name as keyof typeof LIMITS].value),
    ),
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

/** The operations of the storage API: all but the upload target, which is no fixed address. */
function idsOf({ paths }: ContractParts['storage']): string[] {
  return Object.entries(paths).flatMap(([path, { post }]) =>
    path !== '/' && post?.operationId ? [post.operationId] : [],
  );
}

/** What all paths of the storage API begin with; the name of the operation is the rest. */
function toCommonPath(storage: ContractParts['storage']): string {
  const common = idsOf(storage).map((id) => {
    const path = Object.keys(storage.paths).find(
      (each) => storage.paths[each]?.post?.operationId === id,
    );
    return path?.endsWith(id) ? path.slice(0, -id.length) : undefined;
  });
  const [first] = common;
  if (!first || common.some((each) => each !== first)) {
    throw new Error('The paths of the storage operations no longer end with their names alone.');
  }
  return first;
}

/** `batchItems` as `BATCH_ITEMS`. */
function toConstantName(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

export function constant(name: string, text: string, value: unknown): string {
  return `/** ${text} */\nexport const ${name} = ${JSON.stringify(value, null, 2)} as const;`;
}

function union(name: string, text: string, rows: Coded): string {
  const codes = rows.map(({ code }) => `\n  | ${JSON.stringify(code)}`);
  return `/** ${text} */\nexport type ${name} =${codes.join('')};`;
}
