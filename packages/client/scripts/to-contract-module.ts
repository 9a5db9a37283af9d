import { constant, type ObjectSchema, toReadonlyType } from '@berth/codegen';
import { greedyParameters } from './greedy-parameters.ts';

type Coded = readonly { code: string }[];
type Retried = readonly { code: string; retry: string }[];

/** Sources of the constants: exports of `@berth/spec`. */
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
  profileSchema: ObjectSchema;
}

/** The limits of `spec/defaults/limits.yaml` that the client needs. */
const LIMITS = {
  linkMinSeconds: 'Shortest lifetime of a link (D22).',
  linkWarnSeconds: 'Longer lifetimes of a link are unusual (D22).',
  publicLinkSeconds: 'Lifetime of a public link (D22).',
  batchItems: 'Most items of one call (D25).',
  batchConcurrency: 'Calls under way at the same time (D25).',
  avatarBytes: 'Longest picture of a user, in bytes.',
} as const;

/**
 * Source of `contract.gen.ts`: one constant for each value that the client needs at run time, so that
 * bundlers can drop the rest, and types for what it only needs at compile time.
 */
export function toContractModule({
  contract,
  defaults,
  gateway,
  storage,
  profile,
  profileSchema,
}: ContractParts): string {
  const { documents, sha256 } = contract;
  const { storageSignedHeaders: _, ...signature } = defaults.signature;
  const retries = {
    any: withRetry(defaults, 'any'),
    idempotent: withRetry(defaults, 'idempotent'),
  };
  const idempotent = idsOf(storage).filter((id) => defaults.operations[id]?.idempotent);
  const rows: readonly [name: string, value: unknown, text: string][] = [
    ['CONTRACT', { documents, sha256 }, 'The contract that this client was generated from.'],
    [
      'GATEWAY_SERVER',
      gateway.servers[0]?.url,
      'Address of the gateway of one environment, a template.',
    ],
    [
      'GREEDY_PARAMETERS',
      greedyParameters(gateway),
      'Path parameters that hold several raw segments (`x-berth-greedy`, D3).',
    ],
    ['PROFILE_NAME', profile.name, 'Name of the neutral names of the contract (D1).'],
    ['STORAGE_HEADERS', profile.storageHeaders, 'The three headers of a storage call.'],
    [
      'UPLOAD_FIELDS',
      profile.uploadFields,
      "The two form fields of an upload that carry a vendor's word.",
    ],
    [
      'STORE_FILE_ID',
      profile.storeFileID,
      'Field of the upload metadata that holds the ID in the object store.',
    ],
    [
      'UPSTREAM_STATUS',
      profile.gatewayHeaders.upstreamStatus,
      "Header that carries the hosted service's own status, unless a profile names another (D10).",
    ],
    ['ITEM_SUCCESS', defaults.itemCodes.success, 'Code of an entry of a list that succeeded.'],
    [
      'GATEWAY_RETRIES',
      retries,
      'Codes of the gateway after which a call may be repeated: `any` call, or `idempotent` ones (D6).',
    ],
    [
      'GATEWAY_HEADERS_SECONDS',
      defaults.limits.gatewayHeadersSeconds.value,
      'Time that the gateway gives a hosted service until its response headers (D13).',
    ],
    ['STORAGE_PATH', toCommonPath(storage), 'Path of a storage operation, up to its name.'],
    ['IDEMPOTENT_OPERATIONS', idempotent, 'Storage operations that may be executed twice (D26).'],
    ...Object.entries(LIMITS).map(([name, text]): [string, number, string] => [
      toConstantName(name),
      defaults.limits[name as keyof typeof LIMITS].value,
      text,
    ]),
    ['SIGNATURE', signature, 'Constants of signature version 3 (D16, D17).'],
  ];
  return [
    `/** Names on the wire (D1). */\nexport type WireProfileNames = ${toReadonlyType(profileSchema)};`,
    ...rows.map(([name, value, text]) => constant(name, text, value)),
    union('KnownGatewayErrorCode', 'the gateway', defaults.gatewayErrors),
    union('KnownStorageErrorCode', 'the storage API', defaults.storageErrors),
    union('KnownUploadErrorCode', 'the upload target', defaults.uploadErrors),
  ].join('\n\n');
}

function withRetry({ gatewayErrors }: ContractParts['defaults'], kind: string): string[] {
  return gatewayErrors.filter(({ retry }) => retry === kind).map(({ code }) => code);
}

/** The operations of the storage API, without the upload target, which has no fixed address. */
function idsOf({ paths }: ContractParts['storage']): string[] {
  return Object.entries(paths).flatMap(([path, { post }]) =>
    path !== '/' && post?.operationId ? [post.operationId] : [],
  );
}

/** The common prefix of all paths of the storage API; the rest is the name of the operation. */
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

function union(name: string, sender: string, rows: Coded): string {
  const codes = rows.map(({ code }) => `\n  | ${JSON.stringify(code)}`);
  return `/** Codes that ${sender} is known to send. */\nexport type ${name} =${codes.join('')};`;
}
