import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { isObject, toKeys } from '../util/values.ts';
import { DOCUMENT_UPLOAD_PATH, type SurfaceName } from './surface.ts';

/** The HTTP methods that the documents define. HEAD and OPTIONS are derived from them. */
const METHODS = ['get', 'post'] as const;

type Method = (typeof METHODS)[number];

export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  examples?: unknown[];
  'x-berth-unwrap'?: string;
}

interface MediaType {
  schema: Schema;
  examples?: Record<string, object>;
}

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface ResponseObject {
  headers?: Record<string, { required?: boolean }>;
  content?: Record<string, MediaType>;
  'x-berth-content'?: Record<string, MediaType>;
}

interface OperationObject {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
}

interface PathItem {
  parameters?: Parameter[];
  get?: OperationObject;
  post?: OperationObject;
}

export interface OpenApiDocument {
  info: { title: string; version: string };
  paths: Record<string, PathItem>;
}

/** Both contract documents, with every `$ref` resolved. */
export const documents = {
  gateway: toDocument(gateway),
  storage: toDocument(storage),
};

export type Documents = typeof documents;

type DocumentName = keyof Documents;

/** Resolves every `$ref` in a bundled document, and adds the media types in `x-berth-content` as content. */
function toDocument(bundled: object): OpenApiDocument {
  const document = resolveRefs(bundled) as OpenApiDocument;
  const operations = Object.values(document.paths).flatMap(({ get, post }) => [get, post]);
  for (const response of operations.flatMap((one) => Object.values(one?.responses ?? {}))) {
    const more = response['x-berth-content'];
    if (more) response.content = { ...response.content, ...more };
  }
  return document;
}

/**
 * Copies a bundled document and replaces every local `$ref` with its target. Siblings of a `$ref`, such as a
 * description, take precedence over the target, as in OpenAPI 3.1. This terminates because the contract has
 * no recursive schemas.
 */
function resolveRefs<Document extends object>(document: Document): Document {
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (!isObject(node)) return node;
    const { $ref, ...own } = node;
    const named = typeof $ref === 'string' ? resolve(lookUp(document, $ref)) : {};
    const entries = Object.entries(own).map(([key, value]) => [key, resolve(value)]);
    return { ...(named as object), ...Object.fromEntries(entries) };
  };
  return resolve(document) as Document;
}

function lookUp(document: object, ref: string): unknown {
  return toKeys(ref).reduce<unknown>(
    (node, key) => (isObject(node) ? node[key] : undefined),
    document,
  );
}

/**
 * Returns the flat form of a request schema. A schema with `x-berth-unwrap` is a `oneOf` of the fields at the
 * top level and the same fields inside an object; validating against that `oneOf` would report a missing
 * `data` for an invalid `fileList`.
 *
 * D21: "Validators unwrap `data` first (`x-berth-unwrap`) and validate the flat schema, so that errors name
 * the field that was sent."
 */
export function toFlatSchema(schema: Schema): Schema {
  const [flat] = schema.oneOf ?? [];
  return schema['x-berth-unwrap'] !== undefined && flat !== undefined ? flat : schema;
}

/** The parts of an operation that routing and body handling need. */
export interface Operation {
  id: string;
  surface: Exclude<SurfaceName, 'link'>;
  method: Method;
  /** Path template, for example `/v1/cloudrun/{name}/{anyPath}`. */
  path: string;
  parameters: readonly Parameter[];
  responses: OperationObject['responses'];
  /** Schema of the JSON request body, with its `x-berth-unwrap`. */
  body: Schema | undefined;
}

function listOperations(): Operation[] {
  return Object.entries(documents).flatMap(([name, document]) =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        if (operation === undefined) return [];
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
        return {
          id: operation.operationId,
          surface: path === DOCUMENT_UPLOAD_PATH ? ('upload' as const) : (name as DocumentName),
          method,
          path,
          parameters,
          responses: operation.responses,
          body: operation.requestBody?.content['application/json']?.schema,
        };
      }),
    ),
  );
}

/** The operations of both documents. */
export const operations: readonly Operation[] = listOperations();

export function idsOf(surface: Operation['surface']): string[] {
  return operations.filter((one) => one.surface === surface).map(({ id }) => id);
}

type Examples = ReadonlyMap<string, unknown>;

/**
 * Returns the contract's success examples, by operationId. Named examples take precedence over a schema's
 * example, as in OpenAPI.
 */
export function listExamples(): ReadonlyMap<string, Examples> {
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
