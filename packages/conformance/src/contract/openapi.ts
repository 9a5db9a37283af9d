import { decodeUrl } from '../http/exchange.ts';

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

export type JsonObject = { [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Appends segments to a JSON pointer (RFC 6901) in the form of a URI fragment. */
export function joinPointer(pointer: string, ...names: string[]): string {
  return [pointer, ...names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'))].join(
    '/',
  );
}

/** Returns the value at a JSON pointer, or `undefined` if it does not exist. */
export function valueAt(root: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => decodeUrl(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, name) => {
      const isOwn = typeof node === 'object' && node !== null && Object.hasOwn(node, name);
      return isOwn ? (node as JsonObject)[name] : undefined;
    }, root);
}

/**
 * Follows the local `$ref`s of a node. Returns the value that they refer to, or `undefined` if it does not
 * exist.
 *
 * @param pointer location of the node
 */
export function locate(
  root: object,
  node: unknown,
  pointer: string,
): { value: unknown; pointer: string } {
  const visited = new Set<string>();
  let here = { value: node, pointer };
  while (isObject(here.value) && typeof here.value.$ref === 'string') {
    const target = here.value.$ref;
    if (visited.has(target) || !target.startsWith('#')) return { value: undefined, pointer };
    visited.add(target);
    here = { value: valueAt(root, target), pointer: target };
  }
  return here;
}

/**
 * Like `locate`, for a node of the contract.
 *
 * @throws Error if the reference cannot be resolved
 */
export function dereference<T extends object>(
  document: OpenapiDocument,
  node: T | Reference,
  pointer: string,
): { value: T; pointer: string } {
  const found = locate(document, node, pointer);
  if (!isObject(found.value)) throw new Error(`a reference in ${pointer} cannot be resolved`);
  return found as { value: T; pointer: string };
}
