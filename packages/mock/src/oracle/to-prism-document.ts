import { METHODS, type OpenApiDocument, type OperationObject } from '../contract/open-api.ts';
import { toFlatSchema } from '../contract/unwrap.ts';

/** A copy of a document as Prism needs it to judge and to answer what the contract means. */
export function toPrismDocument(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      flattenBodies(operation);
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
