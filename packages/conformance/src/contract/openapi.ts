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

export interface RequestBody {
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

export interface MediaType {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { value: unknown } | Reference>;
}

/**
 * Follows a node's local `$ref`, if it has one. Returns the value and its JSON pointer (RFC 6901), as a URI fragment.
 *
 * @param pointer location of the node; returned unchanged if the node is not a reference
 * @throws Error if the reference cannot be resolved
 */
export function dereference<T extends object>(
  document: OpenapiDocument,
  node: T | Reference,
  pointer: string,
): { value: T; pointer: string } {
  if (!('$ref' in node)) return { value: node, pointer };
  const target = readPointer(document, node.$ref);
  if (typeof target !== 'object' || target === null) {
    throw new Error(`${pointer}: ${node.$ref} cannot be resolved`);
  }
  return dereference(document, target as T | Reference, node.$ref);
}

/** Escapes one segment of a JSON pointer (RFC 6901, section 3). */
export function toPointerSegment(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

function readPointer(document: object, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
}
