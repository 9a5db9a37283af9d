/**
 * Renders the TypeScript types for an OpenAPI document: `paths`, `components`, `operations`.
 *
 * - Binary strings (`contentMediaType: application/octet-stream`) become `Blob`.
 * - An object with named properties has no index signature, so that a misspelled field is a compile
 *   error. An object without any stays a free-form record.
 * - A field with a default stays optional.
 * - A response also has the media types of `x-berth-content`.
 *
 * The output is deterministic.
 *
 * @param document a bundled OpenAPI 3.0 or 3.1 document; not modified
 * @throws Error if the document is not valid OpenAPI
 *
 * @example
 * const text = await toTypes(JSON.parse(await readFile('storage.v2.gen.json', 'utf8')));
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
 * Copies an OpenAPI document without `additionalProperties: true` on objects that name properties. The
 * keyword has no effect in JSON Schema, but `openapi-typescript` turns it into an index signature, which
 * accepts every misspelled field.
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

/**
 * Copies an OpenAPI document, and adds the media types in `x-berth-content` to the content of its responses.
 */
export function withAllContent(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withAllContent);
  if (typeof node !== 'object' || node === null) return node;
  const { 'x-berth-content': more, ...rest } = node as Record<string, object>;
  const whole = more === undefined ? rest : { ...rest, content: { ...rest.content, ...more } };
  return Object.fromEntries(
    Object.entries(whole).map(([key, value]) => [key, withAllContent(value)]),
  );
}
