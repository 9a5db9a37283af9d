import {
  METHODS,
  type MediaType,
  type OpenApiDocument,
  type OperationObject,
} from '../contract/open-api.ts';
import { toFlatSchema } from '../contract/unwrap.ts';

/** A copy of a document as Prism needs it to judge and to answer what the contract means. */
export function toPrismDocument(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      flattenBodies(operation);
      preferNamedExamples(operation);
    }
  }
  return copy;
}

/** Bodies are validated after unwrapping. */
function flattenBodies({ requestBody }: OperationObject): void {
  for (const media of Object.values(requestBody?.content ?? {})) {
    media.schema = toFlatSchema(media.schema);
  }
}

/**
 * OpenAPI 3.1, Media Type Object: "the examples value SHALL override the example provided by the
 * schema". Prism takes the schema's first, and would answer 403 with the example of a 404.
 */
function preferNamedExamples({ responses }: OperationObject): void {
  const media = Object.values(responses).flatMap(({ content = {} }) => Object.values(content));
  for (const { schema } of media.filter(hasNamedExamples)) delete schema.examples;
}

function hasNamedExamples({ examples }: MediaType): boolean {
  return examples !== undefined && Object.keys(examples).length > 0;
}
