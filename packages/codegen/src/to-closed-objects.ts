/**
 * A copy of an OpenAPI document without `additionalProperties: true` on objects that name properties.
 * To JSON Schema the two are the same; to `openapi-typescript` the keyword means an index signature,
 * which would accept every misspelt field.
 *
 * @example
 * toClosedObjects({ type: 'object', properties: { a: {} }, additionalProperties: true });
 * // { type: 'object', properties: { a: {} } }
 */
export function toClosedObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toClosedObjects);
  if (typeof node !== 'object' || node === null) return node;
  const isOpen = 'properties' in node && 'additionalProperties' in node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => !(isOpen && key === 'additionalProperties' && value === true))
      .map(([key, value]) => [key, toClosedObjects(value)]),
  );
}
