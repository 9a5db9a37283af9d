import type { Any, Contract } from './read.ts';
import { TOPICS } from './read-rules.ts';

// The pages of `docs/reference/` that are derived from the contract.

const RETRY: Record<string, string> = {
  any: 'yes',
  idempotent: 'if the call is idempotent',
  never: 'no',
};

const FIXED: Record<string, string> = { contract: 'code and status', code: 'code', ours: '' };

/** Every error code of mock and server, by surface. */
export function toErrorsPage({ defaults }: Contract): string {
  const gateway = defaults.gatewayErrors.map((error: Any) => {
    const { code, status, retry, strength, message } = error;
    return [`\`${code}\``, status, RETRY[retry], toSeconds(error), FIXED[strength], message];
  });
  const storage = defaults.storageErrors.map((error: Any) => {
    const { code, level, status, retry, message } = error;
    const scope = level === 'item' ? 'an item' : 'the call';
    return [`\`${code}\``, scope, status, RETRY[retry], toSeconds(error), message];
  });
  const upload = defaults.uploadErrors.map((error: Any) => [
    `\`${error.code}\``,
    error.status,
    RETRY[error.retry],
    toSeconds(error),
    error.message,
  ]);
  return `# Error codes

These are the error codes of the mock and the reference server, with their default statuses and messages. Deployments may use other codes.
Clients handle unknown codes by status: see [errors and retries](../guides/errors.md).

## Gateway

The body is \`{ code, message, requestId }\`. _Retry_ shows whether the same call may be sent again, and _Fixed_ shows
what the contract defines for every deployment. The rest is specific to this project ([D6](../decisions.md#d6)).

${toTable(['Code', 'Status', 'Retry', 'Retry-After', 'Fixed', 'Message'], gateway)}
## Storage

The body is the envelope \`{ statusCode, body: { requestId, code, message } }\`. If the call succeeds, each failed
item has a code, which can also be \`INVALID_PARAM\`, \`SYS_ERR\` or \`SERVICE_UNAVAILABLE\`. Successful ones have \`${defaults.itemCodes.success}\`, or none if copied
([D24](../decisions.md#d24), [D26](../decisions.md#d26)).

${toTable(['Code', 'Applies to', 'Status', 'Retry', 'Retry-After', 'Message'], storage)}
## Upload target

The body is an XML \`Error\` document with \`Code\`, \`Message\`, \`Resource\`, \`RequestId\` and \`TraceId\`
([D27](../decisions.md#d27)). An upload is idempotent: if repeated, it stores the same file.

${toTable(['Code', 'Status', 'Retry', 'Retry-After', 'Message'], upload)}
## Links

Link errors use the upload target's format and codes. A link to a file that no longer exists
fails with 404 \`STORAGE_FILE_NONEXIST\`, a range outside the file with 416 \`InvalidRange\`, and a method other than GET,
HEAD and OPTIONS with 405 \`AccessDenied\`.
`;
}

function toSeconds({ retryAfter }: Any): string {
  return retryAfter === undefined ? '' : `${retryAfter} s`;
}

/** Every rule by its ID, with the sentence or decision that it comes from. */
export function toRulesPage({ rules }: Contract): string {
  const all = [...rules.rules, ...rules.clientRules];
  const topics = Map.groupBy(all, ({ id }) => id.split('-')[0] ?? '');
  const sections = [...topics].map(
    ([prefix, own]) => `## ${TOPICS[prefix]}\n\n${own.map(toRule).join('\n')}`,
  );
  return `# Rules

The [conformance suite](../guides/conformance.md) checks deployments against these rules and uses their IDs in its
reports. The rules for clients are checked by the client's tests instead. Some rules have numbered details: \`GW-PATH/2\` is the second of
\`GW-PATH\`. The source is the place in the API description, or the decision, that states the rule.
For what the rules leave open, see [errors](errors.md) and [limits](limits.md).

${sections.join('\n')}`;
}

function toRule({ id, level, statement, sentences = [], source, decisions }: Any): string {
  const numbered = sentences.map((text: string, index: number) => `${index + 1}. ${text}\n`);
  // Of a line in the API description: the headings that lead to it, without spaces.
  const places = source.map((place: string) => place.replaceAll(' › ', '/'));
  return `### ${id}

${level}. ${statement}

${numbered.length > 0 ? `${numbered.join('')}\n` : ''}_Source:_ ${[...places, ...decisions.map(toLink)].join(', ')}
`;
}

function toLink(decision: string): string {
  return `[${decision}](../decisions.md#${decision.toLowerCase()})`;
}

/** Every limit that the contract leaves open. */
export function toLimitsPage({ defaults }: Contract): string {
  const rows = Object.entries<Any>(defaults.limits).map(
    ([name, { value, unit, decision, description }]) => [
      `\`${name}\``,
      `${value.toLocaleString('en-US')} ${value === 1 ? unit.slice(0, -1) : unit}${toSize(value, unit)}`,
      description,
      toLink(decision),
    ],
  );
  return `# Limits

The contract leaves these limits to each deployment. The mock, the server and the stubs use the values below, and the
client expects them. To change them for the server, set \`limits\` in its [configuration](configuration.md).

${toTable(['Limit', 'Value', 'Applies to', 'Decision'], rows)}`;
}

function toSize(value: number, unit: string): string {
  if (unit !== 'bytes' || value < 2 ** 20) return '';
  return value < 2 ** 30 ? ` (${value / 2 ** 20} MiB)` : ` (${value / 2 ** 30} GiB)`;
}

/** A Markdown table; a `|` in a cell is escaped. */
export function toTable(head: string[], rows: unknown[][]): string {
  const lines = [head, head.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`,
  );
  return `${lines.join('\n')}\n`;
}
