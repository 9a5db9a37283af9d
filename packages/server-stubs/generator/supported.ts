/** Which parts of a schema Ajv supports. */
import {
  asObject,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  targetOf,
  toList,
} from './openapi.ts';
import { subschemasOf } from './schemas.ts';

/** Whether a pattern is a regular expression of JavaScript. */
export function isPattern(pattern: unknown): boolean {
  try {
    new RegExp(String(pattern));
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates a function that returns whether a schema, all its subschemas, and all that they refer to are supported.
 *
 * Without an unsupported part, most keywords accept more, but some reject valid values: in
 * `oneOf: [{ pattern: '(?i)a' }, { maxLength: 9 }]`, both schemas match `b` once the pattern is dropped.
 */
export function createSupport({ root }: OpenApiDocument): (schema: unknown) => boolean {
  // Avoids checking a schema again for every reference.
  const cache = new Map<unknown, boolean>();
  return (schema) => {
    // Each schema, and the one from which it was reached. Grows while it is read.
    const reached = new Map<unknown, unknown>([[schema, undefined]]);
    for (const [part] of reached) {
      const cached = cache.get(part);
      if (!isObject(part) || cached === true) continue;
      const target = targetOf(root, part);
      if (cached === false || !hasSupportedKeywords(part, target)) {
        for (let at: unknown = part; at; at = reached.get(at)) cache.set(at, false);
        return false;
      }
      for (const other of [...subschemasOf(part), target]) {
        if (!reached.has(other)) reached.set(other, part);
      }
    }
    for (const part of reached.keys()) cache.set(part, true);
    return true;
  };
}

function hasSupportedKeywords(schema: JsonObject, target: unknown): boolean {
  const isUnresolved = '$ref' in schema && target === undefined;
  const patterns = [schema.pattern ?? '', ...Object.keys(asObject(schema.patternProperties))];
  return !isUnresolved && !('$dynamicRef' in schema) && patterns.every(isPattern);
}

/**
 * Whether Ajv's `discriminator` accepts the alternatives: objects whose tags are different constants.
 *
 * @param isRequired whether a schema requires the tag
 */
export function haveTags(
  alternatives: unknown,
  tag: string,
  { root }: OpenApiDocument,
  isRequired: (schema: JsonObject) => boolean,
): boolean {
  const tags = toList(alternatives).flatMap((alternative) => {
    const { $ref, ...siblings } = asObject(alternative);
    const isReference = $ref !== undefined;
    const schema = asObject(isReference ? targetOf(root, { $ref }) : alternative);
    const hasSiblings = isReference && Object.keys(siblings).length > 0;
    if (hasSiblings || schema.type !== 'object' || !isRequired(schema)) return [undefined];
    const property = asObject(asObject(schema.properties)[tag]);
    return 'const' in property ? [property.const] : (property.enum ?? [undefined]);
  });
  // Ajv keeps the tags as the names of an object.
  const isTag = (value: unknown) => typeof value === 'string' && value !== '' && !(value in {});
  return tags.length > 0 && tags.every(isTag) && new Set(tags).size === tags.length;
}
