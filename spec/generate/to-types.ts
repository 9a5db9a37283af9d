import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';

const BLOB = ts.factory.createTypeReferenceNode('Blob');

/** Renders the TypeScript types for an OpenAPI document, with `Blob` for binary strings. */
export async function toTypes(document: object): Promise<string> {
  const nodes = await openapiTS(prepare(document) as OpenAPI3, {
    silent: true,
    // A default is what the server assumes, so a caller may leave the field out.
    defaultNonNullable: false,
    transform: (schema) =>
      'contentMediaType' in schema && schema.contentMediaType === 'application/octet-stream'
        ? BLOB
        : undefined,
  });
  return astToString(nodes);
}

/**
 * Adds the media types in `x-berth-content` to the content of responses, and removes `additionalProperties: true`
 * next to named properties: openapi-typescript turns it into an index signature, which accepts every misspelled
 * field.
 */
function prepare(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(prepare);
  if (typeof node !== 'object' || node === null) return node;
  const { 'x-berth-content': more, ...fields } = node as Record<string, object | true>;
  const { properties, content, additionalProperties } = fields;
  if (more !== undefined) fields.content = { ...Object(content), ...Object(more) };
  if (properties !== undefined && additionalProperties === true) delete fields.additionalProperties;
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, prepare(value)]));
}
