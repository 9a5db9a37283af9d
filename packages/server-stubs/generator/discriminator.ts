import { asObject, type JsonObject, toList } from './json.ts';
import type { OpenApiDocument } from './openapi.ts';
import { propertiesOf } from './subschemas.ts';

/**
 * Adds Ajv's `discriminator`, which never changes what is valid. It only checks the schema that the tag selects, so its
 * errors are more precise. Ajv accepts it if the alternatives are objects whose tags are different constants.
 *
 * @param converted what Ajv gets instead of the schema
 * @param hiddenNamesOf returns the names of properties that cannot be required
 */
export function addDiscriminator(
  converted: JsonObject,
  schema: JsonObject,
  document: OpenApiDocument,
  hiddenNamesOf: (schema: JsonObject) => ReadonlySet<string>,
): JsonObject {
  const tag = asObject(schema.discriminator).propertyName;
  if (typeof tag !== 'string') return converted;
  const { reader } = document;
  const alternatives = toList(schema.oneOf ?? schema.anyOf).map(asObject);
  // An alternative that allows only `null` has no tag.
  const objects = alternatives.filter((part) => [...reader.typesOf(part)].join() !== 'null');
  const tags = objects.map((part) => {
    return hiddenNamesOf(part).has(tag) ? [] : tagsOf(part, tag, document);
  });
  if (tags.length === 0 || tags.some(({ length }) => length === 0)) {
    const message = `The values of ${JSON.stringify(tag)} are not checked. Use oneOf, with objects that each require a const or enum for it.`;
    document.warn(document.pointerTo(schema, 'discriminator'), message);
    return converted;
  }
  const values = tags.flat();
  const isUnique = new Set(values).size === values.length;
  const isComplete = objects.length === alternatives.length;
  // Ajv uses tags as property names.
  const isNamed = values.every(
    (value) => typeof value === 'string' && value !== '' && !(value in {}),
  );
  if (!isUnique || !isComplete || !isNamed || !('oneOf' in converted)) return converted;
  // Ajv looks for tags neither in `allOf` nor beside `$ref`.
  const oneOf = toList(converted.oneOf).map((part, index) => {
    return { required: [tag], properties: { [tag]: { enum: tags[index] } }, allOf: [part] };
  });
  return { ...converted, oneOf, type: 'object', discriminator: { propertyName: tag } };
}

/** The tags that an alternative allows, or none if it is not an object that requires a constant. */
function tagsOf(alternative: JsonObject, tag: string, { reader }: OpenApiDocument): unknown[] {
  const parts = reader.partsInAllOf(alternative);
  const isObjectOnly = parts.some(({ type }) => type === 'object');
  const isRequired = parts.some(({ required }) => toList(required).includes(tag));
  if (!isObjectOnly || !isRequired) return [];
  return reader.partsInAllOf(propertiesOf(parts).get(tag)).flatMap((part) => {
    return 'const' in part ? [part.const] : toList(part.enum);
  });
}
