import { isObject } from '../is-object.ts';

/**
 * A copy of a bundled document in which every local `$ref` is replaced by what it names. What stands
 * beside a `$ref` (a description) wins over what it names, as in OpenAPI 3.1. The contract has no
 * recursive schemas, so this ends.
 */
export function resolveRefs<Document extends object>(document: Document): Document {
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
