import { METHODS, type OpenApiDocument } from '../contract/open-api.ts';
import { toFlatSchema } from '../contract/unwrap.ts';

/** A copy of a document whose request bodies have the flat schema, for validation after unwrapping. */
export function toValidatedDocument(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const method of METHODS) {
      for (const media of Object.values(item[method]?.requestBody?.content ?? {})) {
        media.schema = toFlatSchema(media.schema);
      }
    }
  }
  return copy;
}
