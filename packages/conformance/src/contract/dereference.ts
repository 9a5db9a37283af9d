import type { OpenapiDocument, Reference } from './openapi.ts';

export interface Dereferenced<T> {
  value: T;
  /** JSON pointer (RFC 6901) of the value, as a URI fragment. */
  pointer: string;
}

/**
 * Follows the local `$ref` of a node, if it has one.
 *
 * @param pointer where the node stands; returned as it is where the node is no reference
 * @throws Error where the reference leads nowhere
 */
export function dereference<T extends object>(
  document: OpenapiDocument,
  node: T | Reference,
  pointer: string,
): Dereferenced<T> {
  if (!('$ref' in node)) return { value: node, pointer };
  const target = readPointer(document, node.$ref);
  if (typeof target !== 'object' || target === null) {
    throw new Error(`${pointer}: ${node.$ref} leads nowhere`);
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
