import { constant, type ErrorRow, toErrorTable } from '@berth/codegen';

/** Where the constants come from: exports of `@berth/spec`. */
export interface MswParts {
  defaults: {
    gatewayErrors: readonly ErrorRow[];
    storageErrors: readonly ErrorRow[];
    uploadErrors: readonly ErrorRow[];
    limits: Record<(typeof LIMITS)[number], { value: number }>;
    cors: { allowMethods: Record<'gateway' | 'storage' | 'upload' | 'link', readonly string[]> };
  };
  gateway: { components: { schemas: { ServiceName: { pattern: string } } } };
  storage: object;
}

/** The limits of `spec/defaults/limits.yaml` that the handlers enforce. */
const LIMITS = [
  'batchItems',
  'grantSeconds',
  'linkMaxSeconds',
  'linkMinSeconds',
  'linkSeconds',
  'pathBytes',
] as const;

/** The schema keywords to keep: just enough to find a wrong JSON type or a missing field. */
const KEYWORDS = ['type', 'required', 'properties', 'items', 'x-berth-item-pattern'];

/** Renders `msw.gen.ts`: everything that the MSW handlers need from the contract and the client does not. */
export function toMswModule({ defaults, gateway, storage }: MswParts): string {
  const { gatewayErrors, storageErrors, uploadErrors, limits, cors } = defaults;
  return [
    constant('GATEWAY_ERRORS', 'Gateway errors (D6).', toErrorTable(gatewayErrors)),
    constant('STORAGE_ERRORS', 'Storage API errors (D26).', toErrorTable(storageErrors)),
    constant('UPLOAD_ERRORS', 'Upload target errors (D27).', toErrorTable(uploadErrors)),
    constant(
      'SERVICE_NAME_PATTERN',
      'Pattern of hosted service names.',
      gateway.components.schemas.ServiceName.pattern,
    ),
    constant(
      'STORAGE_REQUESTS',
      'The top-level fields of each storage request (D21).',
      toRequests(storage as Document),
    ),
    constant(
      'FILE_LIMITS',
      'Limits for lists, paths, links and grants (D22, D24, D25, D27).',
      Object.fromEntries(LIMITS.map((name) => [name, limits[name].value])),
    ),
    constant('ALLOW_METHODS', 'Methods that cross-origin pages may use (D11).', cors.allowMethods),
  ].join('\n\n');
}

interface Schema {
  $ref?: string;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Operation {
  operationId?: string;
  requestBody?: { $ref?: string; content?: Record<string, { schema?: Schema }> };
}
interface Document {
  paths: Record<string, { post?: Operation }>;
}

function toRequests(document: Document) {
  const rows = Object.values(document.paths).flatMap(({ post }) => {
    const body = resolve<Operation['requestBody']>(document, post?.requestBody);
    const schema = body?.content?.['application/json']?.schema;
    // The first variant has the fields at the top level; the second one wraps them.
    return schema ? [[post?.operationId, toShape(document, schema.oneOf?.[0] ?? schema)]] : [];
  });
  return Object.fromEntries(rows);
}

function toShape(document: Document, schema: Schema): object {
  const whole = resolve<Schema>(document, schema);
  const kept = Object.entries(whole).filter(([keyword]) => KEYWORDS.includes(keyword));
  const { properties, items } = whole;
  return {
    ...Object.fromEntries(kept),
    ...(items && { items: toShape(document, items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, toShape(document, field)]),
      ),
    }),
  };
}

/** Resolves a reference within the document, keeping its sibling keywords. */
function resolve<Node>(document: Document, node: (Node & { $ref?: string }) | undefined): Node {
  if (node?.$ref === undefined) return node as Node;
  const { $ref, ...beside } = node;
  let found: unknown = document;
  for (const step of $ref.slice(2).split('/')) found = (found as Record<string, unknown>)[step];
  return { ...resolve(document, found as object), ...beside } as Node;
}
