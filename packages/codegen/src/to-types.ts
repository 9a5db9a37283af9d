import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const BLOB = ts.factory.createTypeReferenceNode('Blob');

/**
 * TypeScript types of an OpenAPI document: `paths`, `components`, `operations`.
 * Binary strings (`contentMediaType: application/octet-stream`) become `Blob`.
 *
 * @param document a bundled OpenAPI 3.0 or 3.1 document
 * @example
 * const text = await toTypes(JSON.parse(await readFile('storage.v2.gen.json', 'utf8')));
 */
export async function toTypes(document: object): Promise<string> {
  const nodes = await openapiTS(document as Parameters<typeof openapiTS>[0], {
    alphabetize: false,
    transform: (schema) =>
      'contentMediaType' in schema && schema.contentMediaType === 'application/octet-stream'
        ? BLOB
        : undefined,
  });
  return astToString(nodes);
}
