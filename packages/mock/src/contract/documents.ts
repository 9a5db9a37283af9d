import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { isObject } from '../util/values.ts';

/** The HTTP methods that the documents define. HEAD and OPTIONS are derived from them. */
export const METHODS = ['get', 'post'] as const;

export type Method = (typeof METHODS)[number];

export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  examples?: unknown[];
  'x-berth-unwrap'?: string;
  'x-berth-item-pattern'?: string;
}

interface MediaType {
  schema: Schema;
  examples?: Record<string, object>;
}

export interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface ResponseObject {
  headers?: Record<string, { required?: boolean }>;
  content?: Record<string, MediaType>;
  'x-berth-content'?: Record<string, MediaType>;
}

export interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
}

interface PathItem {
  parameters?: Parameter[];
  get?: OperationObject;
  post?: OperationObject;
}

/** The parts of an OpenAPI document that the mock reads. */
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

export type DocumentName = keyof Documents;

/** Resolves every `$ref` in a bundled document, and adds the media types in `x-berth-content` as content. */
export function toDocument(bundled: object): OpenApiDocument {
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
  const keys = ref.replace(/^#\//, '').split('/');
  return keys.reduce<unknown>(
    (node, key) =>
      isObject(node) ? node[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined,
    document,
  );
}

/**
 * Returns the flat form of a request schema. A schema with `x-berth-unwrap` is a `oneOf` of the fields at the
 * top level and the same fields inside an object; validating against that `oneOf` would report a missing
 * `data` for an invalid `fileList`.
 *
 * D21: "Validation unwraps `data` first and then validates the flat schema, so that errors name the real
 * field; only the document shows `oneOf`."
 */
export function toFlatSchema(schema: Schema): Schema {
  const [flat] = schema.oneOf ?? [];
  return schema['x-berth-unwrap'] !== undefined && flat !== undefined ? flat : schema;
}
