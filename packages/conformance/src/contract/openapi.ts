/** The two contract documents, by the short names used in the report. */
export const APIS = ['gateway', 'storage'] as const;

export type Api = (typeof APIS)[number];

export const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;

/** The parts of an OpenAPI document that the suite reads. */
export interface OpenapiDocument {
  info: { title: string; version: string };
  paths: Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>;
}

interface Operation {
  operationId: string;
  responses: Record<string, ResponseObject>;
}

interface Reference {
  $ref: string;
}

export interface ResponseObject {
  headers?: Record<string, Header | Reference>;
  content?: Record<string, object>;
  /** More media types, which are not in `content` because other tools misread them there. */
  'x-berth-content'?: Record<string, object>;
}

export interface Header {
  required?: boolean;
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
