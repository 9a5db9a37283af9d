import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { toTable } from './to-table.ts';

const RETRY: Record<string, string> = {
  any: 'yes',
  idempotent: 'if the call may be executed twice',
  never: 'no',
};
const FIXED: Record<string, string> = {
  contract: 'code and status',
  code: 'code',
  ours: '',
};

/** The page `docs/reference/errors.md`: every code that mock and server answer, by surface. */
export function toErrors(): string {
  return `# Error codes

What the mock and the reference server answer, and what clients have to expect. The lists are open: a
deployment may answer with other codes, and a caller treats one that it does not know by its status.
[Errors and retries](../guides/errors.md) says how to handle them.

## Gateway

Body \`{ code, message, requestId }\`. _Repeat_: whether the same call may be sent again. _Fixed_: what the
contract promises of every deployment; the rest is what this project does
([D6](../decisions/d06-gateway-errors.md)).

${toTable(
  ['Code', 'Status', 'Repeat', 'Retry-After', 'Fixed', 'Message'],
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

Envelope \`{ statusCode, body: { requestId, code, message } }\`. A code of one item stands in the result list
of a call that succeeded as a whole, where \`${defaults.itemCodes.success}\` marks a good one
([D26](../decisions/d26-storage-errors.md)).

${toTable(
  ['Code', 'Of', 'Status', 'Retry-After', 'Message'],
  defaults.storageErrors.map((error) => [
    `\`${error.code}\``,
    error.level === 'item' ? 'an item' : 'the call',
    String(error.status),
    toSeconds(error),
    error.message,
  ]),
)}
## Upload target

An XML document \`Error\` with \`Code\`, \`Message\`, \`Resource\`, \`RequestId\` and \`TraceId\`
([D27](../decisions/d27-upload-target.md)).

${toTable(
  ['Code', 'Status', 'Message'],
  defaults.uploadErrors.map(({ code, status, message }) => [
    `\`${code}\``,
    String(status),
    message,
  ]),
)}`;
}

function toSeconds(error: object): string {
  return 'retryAfter' in error ? `${error.retryAfter} s` : '';
}
