import { dereference, type MediaType, type OpenapiDocument } from '../../src/contract/openapi.ts';

import { toDreddSchema } from './to-dredd-schema.ts';

/** Converts a media type to what Dredd reads: one inline `example`, and the reduced schema. */
export function toDreddContent(document: OpenapiDocument, media: MediaType): MediaType {
  const [first] = Object.values(media.examples ?? {});
  const example =
    first === undefined ? media.example : dereference(document, first, '').value.value;
  return {
    ...(example === undefined ? {} : { example }),
    ...(media.schema === undefined ? {} : { schema: toDreddSchema({ ...media.schema }) }),
  };
}
