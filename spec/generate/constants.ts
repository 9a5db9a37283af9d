import { globSync } from 'node:fs';
import { join } from 'node:path';
import { type Any, type Contract, mapValues, readYaml, SPEC, toIdentity } from './read.ts';
import { TOPICS } from './read-rules.ts';
import { constant } from './write.ts';

// Modules of constants: what packages need from the contract at run time, so that they load no JSON and a
// bundler can drop the rest.

/** The limits that the client keeps or needs. Servers enforce the others. */
const CLIENT_LIMITS = [
  'batchItems',
  'batchConcurrency',
  'linkMinSeconds',
  'linkWarnSeconds',
  'publicLinkSeconds',
  'avatarBytes',
];

/** Everything that the client needs, each value as a constant of its own. */
export function toClientConstants(contract: Contract): string {
  const { gateway, storage, defaults, profile } = contract;
  const greedy = Object.values<Any>(gateway.components.parameters).filter(
    (parameter) => parameter['x-berth-greedy'],
  );
  // After every 401 of the gateway, the client renews its credentials instead.
  const retries = defaults.gatewayErrors
    .filter(({ status }: Any) => status !== 401)
    .map(({ code, retry }: Any) => [code, retry]);
  const temporary = [...defaults.storageErrors, ...defaults.uploadErrors].filter(
    ({ retry }) => retry !== 'never',
  );
  const [storagePath = ''] = Object.keys(storage.paths);
  const idempotent = storageOperations(contract).filter(
    (id) => defaults.operations[id]?.idempotent,
  );
  const { storageSignedHeaders: _, ...signature } = defaults.signature;
  const limits = CLIENT_LIMITS.map((name) => {
    const { value, decision, description } = defaults.limits[name];
    return constant(toConstantName(name), `${description} (${decision})`, value);
  });
  const union = (name: string, sender: string, rows: readonly Any[]) =>
    `/** Known error codes of ${sender}. */\nexport type ${name} =${toCodes(rows)
      .map((code) => `\n  | ${JSON.stringify(code)}`)
      .join('')};`;
  return [
    constant(
      'GREEDY_PARAMETERS',
      'Path parameters that hold several raw segments (D3).',
      greedy.map(({ name }) => name),
    ),
    constant('ITEM_SUCCESS', 'Code of a list entry that succeeded.', defaults.itemCodes.success),
    constant(
      'GATEWAY_RETRIES',
      'Which calls may be retried after each code of the gateway (D6).',
      Object.fromEntries(retries),
    ),
    constant(
      'TEMPORARY_STORAGE_CODES',
      'Codes of temporary failures of the storage API and the upload target (D26, D27).',
      toCodes(temporary),
    ),
    constant('STORAGE_PATH', 'Start of the path of storage operations.', toPrefix(storagePath)),
    constant('IDEMPOTENT_OPERATIONS', 'Operations that may be executed twice (D26).', idempotent),
    constant('SIGNATURE', 'Constants for signature version 3 (D16, D17).', signature),
    constant(
      'UPSTREAM_STATUS',
      'Header with the status of the hosted service (D1, D10).',
      profile.gatewayHeaders.upstreamStatus,
    ),
    ...limits,
    union('KnownGatewayErrorCode', 'the gateway', defaults.gatewayErrors),
    union('KnownStorageErrorCode', 'the storage API', defaults.storageErrors),
    union('KnownUploadErrorCode', 'the upload target', defaults.uploadErrors),
  ].join('\n\n');
}

/** Everything that routers and engine need, but for their errors. */
export function toStubsConstants(contract: Contract): string {
  const { storage, defaults } = contract;
  const { documents, sha256 } = toIdentity(contract);
  const limits = mapValues(defaults.limits, ({ value }) => value);
  const pattern = storage.components.schemas.FilePath['x-berth-item-pattern'];
  return [
    constant('CONTRACT', 'The contract that this was generated from.', { documents, sha256 }),
    constant('CORS', 'Cross-origin rules (D11).', defaults.cors),
    constant('LIMITS', 'Limits by name, which includes the unit.', limits),
    constant('COPY_PATH_PATTERN', 'Pattern that copy paths must match (D24).', pattern),
    constant('ITEM_SUCCESS', 'Code of a successful item.', defaults.itemCodes.success),
    constant('SIGNATURE', 'Constants for signatures (D16, D17).', defaults.signature),
  ].join('\n\n');
}

/** The errors by code. */
export function toErrorTables({ defaults: { storageErrors, ...defaults } }: Contract): string {
  const ofLevel = (wanted: string) => storageErrors.filter(({ level }: Any) => level === wanted);
  return [
    constant('GATEWAY_ERRORS', 'Gateway errors (D6).', toTable(defaults.gatewayErrors)),
    constant('STORAGE_ERRORS', 'Errors for an entire call (D26).', toTable(ofLevel('call'))),
    constant('STORAGE_ITEM_ERRORS', 'Errors for one list entry (D26).', toTable(ofLevel('item'))),
    constant('UPLOAD_ERRORS', 'Upload target errors (D27).', toTable(defaults.uploadErrors)),
  ].join('\n\n');
}

/** Omits the fields that are not needed at run time. */
function toTable(rows: readonly Any[]): object {
  return Object.fromEntries(
    rows.map(({ code, status, message, retryAfter }) => [code, { status, message, retryAfter }]),
  );
}

export function toRuleIds({ rules }: Contract): string {
  const ids = rules.rules.flatMap(
    ({ id, sentences }) =>
      sentences?.map((_: string, index: number) => `${id}/${index + 1}`) ?? [id],
  );
  return `${constant('TOPICS', 'What rules are about, by the beginning of their IDs.', TOPICS)}

/** Every sentence of the rules: a rule, or one of the numbered sentences of a rule that has several. */
export type SentenceId =
${ids.map((id) => `  | '${id}'`).join('\n')};`;
}

export function toStorageOperations(contract: Contract): string {
  const operations = storageOperations(contract);
  return constant('STORAGE_OPERATIONS', 'The operations of the storage API.', operations);
}

/** The Arazzo workflows, and the documents that define them. */
export function toWorkflows(): string {
  const files = globSync('*.arazzo.yaml', { cwd: join(SPEC, 'workflows') }).sort();
  const workflows = files.flatMap((file) =>
    readYaml(`workflows/${file}`).workflows.map(({ workflowId: id, summary }: Any) => {
      return { id, file, statement: `${summary}.` };
    }),
  );
  return constant('WORKFLOWS', 'The Arazzo workflows.', workflows);
}

/** The default profile, and the type of a complete one. In the schema, each field is optional. */
export function toWireProfile({ profile: { $schema: _, ...profile }, profileSchema }: Contract) {
  return `/**
 * The names and forms in which deployments differ (D1). The names of headers and form fields are case-insensitive. The
 * name of the JSON field \`storeFileID\` is case-sensitive.
 */
export interface WireProfile ${toFieldType(profileSchema)}

${constant('DEFAULT_WIRE_PROFILE', "The contract's neutral names (D1).", profile)}`;
}

function toFieldType({ type, enum: choices, properties }: Any): string {
  if (choices) return choices.map((choice: string) => `'${choice}'`).join(' | ');
  if (type !== 'object') return type;
  const fields = Object.entries<Any>(properties).filter(([name]) => name !== '$schema');
  const lines = fields.map(
    ([name, field]) => `/** ${field.description} */\nreadonly ${name}: ${toFieldType(field)};\n`,
  );
  return `{\n${lines.join('')}}`;
}

/** The upload target has no fixed path, and therefore no name to call it by. */
function storageOperations({ storage }: Contract): string[] {
  const operations = Object.values<Any>(storage.paths).map(({ post }) => post.operationId);
  return operations.filter((id) => id !== 'uploadFile');
}

function toCodes(rows: readonly Any[]): string[] {
  return rows.map(({ code }) => code);
}

/** Turns `batchItems` into `BATCH_ITEMS`. */
function toConstantName(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

/** Cuts off the name of the operation. */
function toPrefix(path: string): string {
  return path.slice(0, path.indexOf(':') + 1);
}
