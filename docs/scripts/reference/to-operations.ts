import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import ruleSet from '@berth/spec/rules.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { toTable } from './to-table.ts';

type Operation = { operationId: string; summary: string; 'x-berth-websocket'?: true };

const METHODS = ['get', 'post'];
const HEAD = ['Operation', 'Method', 'Path', 'What it does', 'Repeat', 'Rules'];

/** The page `docs/reference/operations.md`: every operation of both documents. */
export function toOperations(): string {
  return `# Operations

The operations of the contract, by the \`operationId\` that types, reports and logs name. Schemas,
examples and answers of each stand in the API reference of the docs site, which is made from
[\`spec/gateway.v1\`](../../spec/gateway.v1/openapi.yaml) and
[\`spec/storage.v2\`](../../spec/storage.v2/openapi.yaml).

_Repeat_ says whether the same call may be sent again when nobody knows if it was executed.

## Gateway, version ${gateway.info.version}

${toTable(HEAD, toRows(gateway.paths))}
## Storage and upload target, version ${storage.info.version}

${toTable(HEAD, toRows(storage.paths))}
The upload target has no fixed address: \`uploadFile\` is sent to the \`url\` that \`getUploadMetaData\`
returned, exactly as it stands there.
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
