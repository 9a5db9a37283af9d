/**
 * Renders the TypeScript types for an OpenAPI document. Binary strings become `Blob`, an object with named
 * properties has no index signature, so that a misspelled field is a compile error, and a response also has
 * the media types of `x-berth-content`.
 */
export async function toTypes(document: object): Promise<string> {
  // Loaded on demand, because the TypeScript compiler is slow to load and not every generator needs it.
  const [{ default: openapiTS, astToString }, { default: ts }] = await Promise.all([
    import('openapi-typescript'),
    import('typescript'),
  ]);
  const blob = ts.factory.createTypeReferenceNode('Blob');
  const nodes = await openapiTS(
    toClosedObjects(withAllContent(document)) as Parameters<typeof openapiTS>[0],
    {
      silent: true,
      // A default is what the server assumes, so a caller may leave the field out.
      defaultNonNullable: false,
      transform: (schema) =>
        'contentMediaType' in schema && schema.contentMediaType === 'application/octet-stream'
          ? blob
          : undefined,
    },
  );
  return astToString(nodes);
}

/**
 * Removes `additionalProperties: true` next to named properties. JSON Schema ignores it, but
 * `openapi-typescript` turns it into an index signature, which accepts every misspelled field.
 */
function toClosedObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toClosedObjects);
  if (typeof node !== 'object' || node === null) return node;
  const isOpen = 'properties' in node && 'additionalProperties' in node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => !(isOpen && key === 'additionalProperties' && value === true))
      .map(([key, value]) => [key, toClosedObjects(value)]),
  );
}

/** Adds the media types in `x-berth-content` to the content of responses. */
function withAllContent(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withAllContent);
  if (typeof node !== 'object' || node === null) return node;
  const { 'x-berth-content': more, ...rest } = node as Record<string, object>;
  const whole = more === undefined ? rest : { ...rest, content: { ...rest.content, ...more } };
  return Object.fromEntries(
    Object.entries(whole).map(([key, value]) => [key, withAllContent(value)]),
  );
}
