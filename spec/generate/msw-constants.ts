import { toTable } from './constants.ts';
import type { Any, Contract } from './read.ts';
import { constant } from './write.ts';

/** The limits of the contract that the handlers enforce. */
const ENFORCED_LIMITS = [
  'batchItems',
  'grantSeconds',
  'linkMaxSeconds',
  'linkMinSeconds',
  'linkSeconds',
  'pathBytes',
] as const;

/** The schema keywords to keep: just enough to find a wrong JSON type or a missing field. */
const KEYWORDS = ['type', 'required', 'properties', 'items', 'x-berth-item-pattern'];

/** Everything that the MSW handlers need from the contract and the client does not. */
export function toMswConstants({ gateway, storage, defaults }: Contract): string {
  const { gatewayErrors, storageErrors, uploadErrors, limits, cors } = defaults;
  return [
    constant('GATEWAY_ERRORS', 'Gateway errors (D6).', toTable(gatewayErrors)),
    constant('STORAGE_ERRORS', 'Storage API errors (D26).', toTable(storageErrors)),
    constant('UPLOAD_ERRORS', 'Upload target errors (D27).', toTable(uploadErrors)),
    constant(
      'SERVICE_NAME_PATTERN',
      'Pattern of hosted service names.',
      gateway.components.schemas.ServiceName.pattern,
    ),
    constant(
      'STORAGE_REQUESTS',
      'The top-level fields of each storage request (D21).',
      toRequests(storage),
    ),
    constant(
      'FILE_LIMITS',
      'Limits for lists, paths, links and grants (D22, D24, D25, D27).',
      Object.fromEntries(ENFORCED_LIMITS.map((name) => [name, limits[name].value])),
    ),
    constant('ALLOW_METHODS', 'Methods that cross-origin pages may use (D11).', cors.allowMethods),
  ].join('\n\n');
}

interface Node {
  readonly [key: string]: unknown;
}

/** Returns the top-level form of each JSON request body, by operation. */
function toRequests(storage: Any): Node {
  const rows = Object.values<Any>(storage.paths).flatMap(({ post }: Node) => {
    const { operationId, requestBody } = post as Node;
    const { content } = resolve(storage, requestBody) as {
      content: { [type: string]: { schema: Node } };
    };
    const schema = content['application/json']?.schema;
    // The first variant has the fields at the top level; the second one wraps them.
    const [first] = (schema?.oneOf ?? [schema]) as Node[];
    return first ? [[operationId, toShape(storage, first)]] : [];
  });
  return Object.fromEntries(rows);
}

function toShape(storage: Any, schema: unknown): Node {
  const kept = Object.entries(resolve(storage, schema)).filter(([keyword]) =>
    KEYWORDS.includes(keyword),
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'items') return [keyword, toShape(storage, value)];
      if (keyword !== 'properties') return [keyword, value];
      const fields = Object.entries(value as Node).map(([name, field]) => [
        name,
        toShape(storage, field),
      ]);
      return [keyword, Object.fromEntries(fields)];
    }),
  );
}

/** Resolves a reference within the document, keeping its sibling keywords. */
function resolve(storage: Any, node: unknown): Node {
  const { $ref, ...beside } = node as Node & { $ref?: string };
  if ($ref === undefined) return beside;
  const steps = $ref.slice(2).split('/');
  const found = steps.reduce((at, step) => at[step] as Node, storage as Node);
  return { ...resolve(storage, found), ...beside };
}
