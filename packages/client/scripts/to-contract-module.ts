import contract from '@berth/spec/contract.json' with { type: 'json' };
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import profileSchema from '@berth/spec/wire-profile.schema.json' with { type: 'json' };
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { constant, type ObjectSchema, toReadonlyType } from '../../../spec/scripts/codegen.ts';

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
export function toContractModule(): string {
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
    `/** Names on the wire (D1). */\nexport type WireProfileNames = ${toReadonlyType(profileSchema as ObjectSchema)};`,
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
