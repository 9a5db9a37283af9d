import { asObject, type JsonObject, join, type Pointer, toList } from './json.ts';
import type { OpenApiDocument } from './openapi.ts';
import { type Annotation, hasHidden, partsInAllOf, propertiesOf, typesOf } from './subschemas.ts';

/**
 * Adds Ajv's `discriminator`, which never changes what is valid. It only checks the schema that the tag selects, so its
 * errors are more precise. Ajv accepts it if the alternatives are objects whose tags are different constants.
 */
export function addDiscriminator(
  converted: JsonObject,
  schema: JsonObject,
  pointer: Pointer,
  { document, hidden }: { readonly document: OpenApiDocument; readonly hidden: Annotation },
): JsonObject {
  const { root } = document;
  const tag = asObject(schema.discriminator).propertyName;
  if (typeof tag !== 'string') return converted;
  const alternatives = toList(schema.oneOf ?? schema.anyOf).map(asObject);
  // An alternative that allows only `null` has no tag.
  const objects = alternatives.filter((part) => [...typesOf(root, part)].join() !== 'null');
  const tags = objects.map((part) => {
    return hasHidden(root, part, tag, hidden) ? [] : tagsOf(root, part, tag);
  });
  if (tags.length === 0 || tags.some((values) => values.length === 0)) {
    const message = `The values of ${JSON.stringify(tag)} are not checked. Use oneOf, with objects that require a const or enum of it.`;
    document.warn(join(pointer, 'discriminator'), message);
    return converted;
  }
  const all = tags.flat();
  const isUnique = new Set(all).size === all.length;
  const isComplete = objects.length === alternatives.length;
  if (!isUnique || !isComplete || !all.every(isTag) || !('oneOf' in converted)) return converted;
  // Ajv looks for tags neither in `allOf` nor beside `$ref`.
  const oneOf = toList(converted.oneOf).map((part, index) => {
    return { required: [tag], properties: { [tag]: { enum: tags[index] } }, allOf: [part] };
  });
  return { ...converted, oneOf, type: 'object', discriminator: { propertyName: tag } };
}

/** Ajv uses tags as property names. */
function isTag(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !(value in {});
}

/** The tags that an alternative allows, or none if it is not an object that requires a constant. */
function tagsOf(root: JsonObject, alternative: JsonObject, tag: string): unknown[] {
  const parts = partsInAllOf(root, alternative);
  const isObjectOnly = parts.some(({ type }) => type === 'object');
  const isRequired = parts.some(({ required }) => toList(required).includes(tag));
  if (!isObjectOnly || !isRequired) return [];
  return partsInAllOf(root, propertiesOf(parts).get(tag)).flatMap((part) => {
    return 'const' in part ? [part.const] : toList(part.enum);
  });
}
