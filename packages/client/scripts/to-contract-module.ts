import { constant, type ObjectSchema, toReadonlyType } from '@berth/codegen';
import { greedyParameters } from './greedy-parameters.ts';

type Coded = readonly { code: string }[];
type Retried = readonly { code: string; retry: string }[];

/** Where the constants come from: exports of `@berth/spec`. */
export interface ContractParts {
  contract: { documents: Record<string, { version: string }>; sha256: string };
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
  storage: {
    paths: Record<string, { post?: { operationId?: string } }>;
    components: { schemas: { FilePath: { 'x-berth-item-pattern': string } } };
  };
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
export function toContractModule({
  contract,
  defaults,
  gateway,
  storage,
  profile,
  profileSchema,
}: ContractParts): string {
  const { sha256 } = contract;
  // One hash covers both documents.
  const documents = Object.fromEntries(
    Object.entries(contract.documents).map(([name, { version }]) => [name, { version }]),
  );
  const { storageSignedHeaders: _, ...signature } = defaults.signature;
  const retries = {
    any: withRetry(defaults, 'any'),
    idempotent: withRetry(defaults, 'idempotent'),
  };
  const idempotent = idsOf(storage).filter((id) => defaults.operations[id]?.idempotent);
  const rows: readonly [name: string, value: unknown, text: string][] = [
    ['CONTRACT', { documents, sha256 }, 'The contract that this client was generated from.'],
    ['GATEWAY_SERVER', gateway.servers[0]?.url, 'URL template for the gateway of an environment.'],
    [
      'GREEDY_PARAMETERS',
      greedyParameters(gateway),
      'Path parameters that hold several raw segments (`x-berth-greedy`, D3).',
    ],
    [
      'PROFILE_NAME',
      profile.name,
      "Name of the default wire profile, which uses the contract's neutral names (D1).",
    ],
    ['STORAGE_HEADERS', profile.storageHeaders, 'The three credential headers of a storage call.'],
    [
      'UPLOAD_FIELDS',
      profile.uploadFields,
      'The two upload form fields that wire profiles rename.',
    ],
    [
      'STORE_FILE_ID',
      profile.storeFileID,
      'Upload metadata field with the ID that the object store uses.',
    ],
    [
      'UPSTREAM_STATUS',
      profile.gatewayHeaders.upstreamStatus,
      "Header with the hosted service's own status, unless a wire profile renames it (D10).",
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
      toCommonPath(storage),
      'Path of every storage operation, up to the operation name.',
    ],
    [
      'IDEMPOTENT_OPERATIONS',
      idempotent,
      'Storage operations that are safe to execute twice (D26).',
    ],
    [
      'COPY_PATH_PATTERN',
      storage.components.schemas.FilePath['x-berth-item-pattern'],
      'Pattern that copy paths must match (D24).',
    ],
    ...Object.entries(LIMITS).map(([name, text]): [string, number, string] => [
      toConstantName(name),
      defaults.limits[name as keyof typeof LIMITS].value,
      text,
    ]),
    ['SIGNATURE', signature, 'Constants for signature version 3 (D16, D17).'],
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

/** Lists the storage operations, without the upload target, which has no fixed URL. */
function idsOf({ paths }: ContractParts['storage']): string[] {
  return Object.entries(paths).flatMap(([path, { post }]) =>
    path !== '/' && post?.operationId ? [post.operationId] : [],
  );
}

/** Returns the common prefix of all storage API paths; the rest is the operation name. */
function toCommonPath(storage: ContractParts['storage']): string {
  const common = idsOf(storage).map((id) => {
    const path = Object.keys(storage.paths).find(
      (each) => storage.paths[each]?.post?.operationId === id,
    );
    return path?.endsWith(id) ? path.slice(0, -id.length) : undefined;
  });
  const [first] = common;
  if (!first || common.some((each) => each !== first)) {
    throw new Error('Storage paths must differ only in their operation name at the end.');
  }
  return first;
}

/** Turns `batchItems` into `BATCH_ITEMS`. */
function toConstantName(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

function union(name: string, sender: string, rows: Coded): string {
  const codes = rows.map(({ code }) => `\n  | ${JSON.stringify(code)}`);
  return `/** Known error codes of ${sender}. */\nexport type ${name} =${codes.join('')};`;
}
