import { writeFile } from 'node:fs/promises';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import ruleSet from '@berth/spec/rules.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { toConfiguration, toTable } from './to-configuration.ts';

const RETRY: Record<string, string> = {
  any: 'yes',
  idempotent: 'if the call is idempotent',
  never: 'no',
};

const FIXED: Record<string, string> = {
  contract: 'code and status',
  code: 'code',
  ours: '',
};

/** The page `docs/reference/errors.md`: every error code of mock and server, by surface. */
function toErrors(): string {
  return `# Error codes

These are the error codes of the mock and the reference server. The lists are open, so a deployment may use other codes.
Clients handle unknown codes by their status: see [errors and retries](../guides/errors.md).

## Gateway

The body is \`{ code, message, requestId }\`. _Retry_ shows whether the same call may be sent again, and _Fixed_ what the
contract defines for every deployment. The rest is specific to this project ([D6](../decisions/d06-gateway-errors.md)).

${toTable(
  ['Code', 'Status', 'Retry', 'Retry-After', 'Fixed', 'Message'],
  defaults.gatewayErrors.map((error) => [
    `\`${error.code}\``,
    String(error.status),
    RETRY[error.retry] ?? '',
    toSeconds(error),
    FIXED[error.strength] ?? '',
    error.message,
  ]),
)}
## Storage

The body is the envelope \`{ statusCode, body: { requestId, code, message } }\`. If the call itself succeeds, each item
in the result list has a code, which is \`${defaults.itemCodes.success}\` for a successful item
([D26](../decisions/d26-storage-errors.md)).

${toTable(
  ['Code', 'Applies to', 'Status', 'Retry-After', 'Message'],
  defaults.storageErrors.map((error) => [
    `\`${error.code}\``,
    error.level === 'item' ? 'an item' : 'the call',
    String(error.status),
    toSeconds(error),
    error.message,
  ]),
)}
## Upload target

The body is an XML \`Error\` document with \`Code\`, \`Message\`, \`Resource\`, \`RequestId\` and \`TraceId\`
([D27](../decisions/d27-upload-target.md)).

${toTable(
  ['Code', 'Status', 'Message'],
  defaults.uploadErrors.map(({ code, status, message }) => [
    `\`${code}\``,
    String(status),
    message,
  ]),
)}
## Links

Links fail in the format and with the codes of the upload target. In addition, a link to a file that no longer exists
fails with 404 \`STORAGE_FILE_NONEXIST\`, a range outside the file with 416 \`InvalidRange\`, and a method other than GET
and HEAD with 405 \`AccessDenied\`.
`;
}

function toSeconds(error: object): string {
  return 'retryAfter' in error ? `${error.retryAfter} s` : '';
}

type Operation = { operationId: string; summary: string; 'x-berth-websocket'?: true };

const METHODS = ['get', 'post'];

const HEAD = ['Operation', 'Method', 'Path', 'What it does', 'Retry', 'Rules'];

/** The page `docs/reference/operations.md`: every operation of both documents. */
function toOperations(): string {
  return `# Operations

This page lists the operations of the contract by \`operationId\`, the name that types, reports and logs use. For schemas,
examples and responses, see the documents: [gateway](../../spec/gateway.v1.yaml),
[storage](../../spec/storage.v2.yaml).

_Retry_ shows whether a client may retry a call if it does not know whether the call was executed.

## Gateway, version ${gateway.info.version}

${toTable(HEAD, toRows(gateway.paths))}
## Storage and upload target, version ${storage.info.version}

${toTable(HEAD, toRows(storage.paths))}
The upload target has no fixed URL. Send \`uploadFile\` to exactly the \`url\` that \`getUploadMetaData\` returned.
`;
}

function toRows(paths: object): string[][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const operation: Operation = item[method];
      const rules = ruleSet.rules.filter((rule) =>
        rule.operations.includes(operation.operationId),
      ).length;
      return [
        `\`${operation.operationId}\``,
        method.toUpperCase() + (operation['x-berth-websocket'] ? ', WebSocket' : ''),
        `\`${path}\``,
        operation.summary,
        toRepeat(operation.operationId, method),
        String(rules),
      ];
    }),
  );
}

function toRepeat(id: string, method: string): string {
  const known = defaults.operations[id as keyof typeof defaults.operations];
  if (known) return known.idempotent ? 'yes' : 'no';
  if (id === 'uploadFile') return 'with a new grant';
  return method === 'get' ? 'yes' : 'if the service allows it';
}

const TOPICS: Record<string, string> = {
  GW: 'Gateway',
  AU: 'Authentication',
  ST: 'Storage',
  UP: 'Upload target',
  CL: 'Clients',
};

/** The page `docs/reference/rules.md`: every rule by its ID, with the sentence or decision that it comes from. */
function toRules(): string {
  const all = [...ruleSet.rules, ...ruleSet.clientRules];
  const topics = Map.groupBy(all, ({ id }) => id.split('-')[0] ?? '');
  const sections = [...topics].map(([prefix, rules]) => {
    const rows = rules.map(({ id, level, statement, source, decisions }) => [
      `\`${id}\``,
      level,
      statement,
      [...source.map(toPlace), ...decisions.map(toLink)].join(', '),
    ]);
    const title = TOPICS[prefix] ?? prefix;
    return `## ${title}\n\n${toTable(['Rule', 'Level', 'Statement', 'Source'], rows)}`;
  });
  return `# Rules

The [conformance suite](../guides/conformance.md) checks these rules on every deployment and uses their IDs in its
reports. The source is the line of the API description that states a rule, or the decision that does. Rules for clients
are checked by the tests of the client. What a rule leaves open is in [errors](errors.md) and [limits](limits.md).

${sections.join('\n')}`;
}

/** Joins the headings that lead to a line of the API description without spaces. */
function toPlace(source: string): string {
  return source.replaceAll(' › ', '/');
}

function toLink(id: string): string {
  return `[${id}](../decisions/${ruleSet.decisions[id as keyof typeof ruleSet.decisions]})`;
}

const HEADER = '<!-- Generated by docs/scripts/generate.ts. Repair: npm run generate -->\n\n';

const pages = {
  configuration: toConfiguration(),
  errors: toErrors(),
  limits: toLimits(),
  operations: toOperations(),
  rules: toRules(),
};

for (const [name, text] of Object.entries(pages)) {
  await writeFile(`reference/${name}.md`, HEADER + text);
}

/** The page `docs/reference/limits.md`: every value that the contract leaves open. */
function toLimits(): string {
  const rows = Object.entries(defaults.limits).map(
    ([name, { value, unit, decision, description }]) => [
      `\`${name}\``,
      `${value.toLocaleString('en-US')} ${unit}${toMebibytes(value, unit)}`,
      description,
      `[${decision}](../decisions/${ruleSet.decisions[decision as keyof typeof ruleSet.decisions]})`,
    ],
  );
  return `# Limits

The contract leaves these limits to each deployment. The mock, the server and the stubs use the values below, and the
client expects them. To change them for the server, set \`limits\` in its [configuration](configuration.md).

${toTable(['Limit', 'Value', 'Applies to', 'Decision'], rows)}`;
}

function toMebibytes(value: number, unit: string): string {
  if (unit !== 'bytes' || value < 1024 * 1024) return '';
  const mebibytes = value / 1024 / 1024;
  return mebibytes < 1024 ? ` (${mebibytes} MiB)` : ` (${mebibytes / 1024} GiB)`;
}
