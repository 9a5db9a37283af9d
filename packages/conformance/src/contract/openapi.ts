/** The two contract documents, by the short names used in the report. */
export const APIS = ['gateway', 'storage'] as const;

export type Api = (typeof APIS)[number];

/** The parts of an OpenAPI document that the suite reads. */
export interface OpenapiDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, PathItem>;
  components: Record<string, unknown>;
}

export type PathItem = { parameters?: (Parameter | Reference)[] } & Partial<
  Record<Method, Operation>
>;

export const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;

export type Method = (typeof METHODS)[number];

export interface Reference {
  $ref: string;
}

export interface Operation {
  operationId: string;
  description?: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: RequestBody | Reference;
  responses: Record<string, ResponseObject | Reference>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: object;
}

interface RequestBody {
  description?: string;
  content: Record<string, MediaType>;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
  /** More media types, which are not in `content` because other tools misread them there. */
  'x-berth-content'?: Record<string, MediaType>;
}

export interface Header {
  required?: boolean;
  schema?: object;
}

interface MediaType {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { value: unknown } | Reference>;
}

/** Appends segments to a JSON pointer (RFC 6901) in the form of a URI fragment. */
export function joinPointer(pointer: string, ...names: string[]): string {
  return [pointer, ...names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'))].join(
    '/',
  );
}

/**
 * Follows the local `$ref`s of a node of the contract.
 *
 * @param pointer location of the node
 */
export function dereference<T extends object>(
  document: OpenapiDocument,
  node: T | Reference,
  pointer: string,
): { value: T; pointer: string } {
  if (!('$ref' in node)) return { value: node, pointer };
  const target = node.$ref
    .split('/')
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((parent, name) => Object(parent)[name], document);
  return dereference(document, target as T | Reference, node.$ref);
}
