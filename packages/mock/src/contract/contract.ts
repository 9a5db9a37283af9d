import type { RouteTable } from '@berth/server-stubs';
import {
  type DocumentName,
  type Documents,
  documents,
  METHODS,
  type Method,
  type OperationObject,
  type Parameter,
  type Schema,
} from './documents.ts';
import { type SurfaceName, UPLOAD_PATH } from './surface.ts';

/** The parts of an operation that routing and body handling need. */
export interface Operation {
  id: string;
  document: DocumentName;
  surface: Exclude<SurfaceName, 'link'>;
  method: Method;
  /** Path template, for example `/v1/cloudrun/{name}/{anyPath}`. */
  path: string;
  parameters: readonly Parameter[];
  responses: OperationObject['responses'];
  summary: string | undefined;
  description: string | undefined;
  /** Its `requestBody.content`, by media type. */
  request: NonNullable<OperationObject['requestBody']>['content'];
  /** Schema of the JSON request body, with its `x-berth-unwrap`. */
  body: Schema | undefined;
}

/** The two documents that a mock serves, and the data derived from them. */
export interface Contract {
  readonly documents: Documents;
  readonly operations: readonly Operation[];
  /** Code generated from custom documents; absent for documents of the built-in contract. */
  readonly routes: Readonly<Partial<Record<DocumentName, RouteTable>>>;
}

/** The contract that this version of the mock ships with. */
export const standardContract: Contract = {
  documents,
  operations: listOperations(documents),
  routes: {},
};

export function listOperations(documents: Documents): Operation[] {
  return Object.entries(documents).flatMap(([name, document]) =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        if (operation === undefined) return [];
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
        return {
          id: operation.operationId,
          document: name as DocumentName,
          surface: path === UPLOAD_PATH ? ('upload' as const) : (name as DocumentName),
          method,
          path,
          parameters,
          responses: operation.responses,
          summary: operation.summary,
          description: operation.description,
          request: operation.requestBody?.content ?? {},
          body: operation.requestBody?.content['application/json']?.schema,
        };
      }),
    ),
  );
}

/** Returns the operationIds of a surface's operations. */
export function idsOf(operations: readonly Operation[], surface: Operation['surface']): string[] {
  return operations.filter((one) => one.surface === surface).map(({ id }) => id);
}

/** The first success example of an operation, by media type. */
type Examples = ReadonlyMap<string, unknown>;

/**
 * Returns the contract's success examples, by operationId. Named examples take precedence over a schema's
 * example, as in OpenAPI.
 */
export function listExamples(
  operations: readonly Operation[] = standardContract.operations,
): ReadonlyMap<string, Examples> {
  return new Map(
    operations.map(({ id, responses }) => {
      const content = Object.entries(responses['200']?.content ?? {});
      const examples = content.flatMap(([type, { examples = {} }]) => {
        const [first] = Object.values(examples) as { value?: unknown }[];
        return first === undefined ? [] : [[type, first.value] as const];
      });
      return [id, new Map(examples)];
    }),
  );
}

/**
 * Returns the contract's example in the only media type that a caller accepts, or as JSON if it accepts any.
 * Returns undefined if the types have quality values: Prism handles those.
 */
export function toExample(
  examples: Examples = new Map(),
  accept = '*/*',
): { readonly type: string; readonly value: unknown } | undefined {
  const type = accept === '*/*' ? 'application/json' : accept;
  return examples.has(type) ? { type, value: examples.get(type) } : undefined;
}
