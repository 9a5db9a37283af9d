import type { AnySchema } from 'ajv';
import {
  asObject,
  entriesOf,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  type Pointer,
  targetOf,
  toList,
} from './document.ts';
import { ALL_OF, COMPOSITIONS, isMarked, mapSubschemas, partsOf, propertiesOf } from './schemas.ts';

/** Keywords that take a value. All others are annotations, which have no effect, or unknown to Ajv. */
const VALUE = new Set(
  `type enum const multipleOf maximum minimum maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties
  dependentRequired format`.split(/\s+/),
);

/** Converts schemas to what Ajv validates, with the IDs of targets, and warns of what is not checked. */
export function createConverter(
  document: OpenApiDocument,
  direction: 'request' | 'response',
  toId: (reference: string) => string,
) {
  return convert;

  /** @param parents schemas for the same value that contain this one, which may require their properties */
  function convert(schema: unknown, parents: readonly JsonObject[] = []): AnySchema {
    // The generator checks whether it is one.
    if (!isObject(schema)) return schema as AnySchema;
    // JSON Schema allows an empty list, and Ajv does not.
    if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
    const converted: JsonObject = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const kept = convertKeyword(keyword, value, [...parents, schema]);
      if (kept !== undefined) converted[keyword] = kept;
    }
    const tag = asObject(schema.discriminator).propertyName;
    if (typeof tag !== 'string' || !isTagged(schema, tag)) return converted;
    return { ...converted, type: 'object', discriminator: { propertyName: tag } };
  }

  /** Returns `undefined` for a keyword without effect, or one that is not checked. */
  function convertKeyword(keyword: string, value: unknown, owners: readonly JsonObject[]): unknown {
    const at = document.pointerTo(owners.at(-1), keyword);
    switch (keyword) {
      case '$ref':
        if (/^#(?:\/|$)/.test(String(value))) return toId(String(value));
        document.warn(at, 'A reference to an $anchor is not checked. Use a JSON Pointer.');
        return undefined;
      case '$dynamicRef':
        document.warn(at, 'A $dynamicRef is not checked. Use $ref.');
        return undefined;
      case 'pattern':
        return isPattern(String(value), at) ? value : undefined;
      case 'patternProperties': {
        const entries = entriesOf(value).filter(([name]) => isPattern(name, at));
        return Object.fromEntries(entries.map(([name, each]) => [name, convert(each)]));
      }
      case 'required':
        if (!Array.isArray(value)) return value;
        return value.filter((name) => !owners.some((owner) => isHidden(owner, name)));
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        // Loading warns of `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
        return typeof value === 'boolean' ? undefined : value;
    }
    if (VALUE.has(keyword)) return value;
    const parents = COMPOSITIONS.test(keyword) ? owners : [];
    return mapSubschemas(keyword, value, (each) => convert(each, parents));
  }

  /** Whether a property is not for this direction. It may be in `allOf` or behind a `$ref`. */
  function isHidden(schema: JsonObject, name: unknown): boolean {
    const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
    const properties = partsOf(document.root, schema, ALL_OF).flatMap(propertiesOf);
    return properties.some(
      ([each, value]) => each === name && isMarked(document.root, value, mark),
    );
  }

  function isPattern(pattern: string, pointer: Pointer): boolean {
    try {
      new RegExp(pattern);
      return true;
    } catch {
      const text = JSON.stringify(pattern);
      const message = `${text} is not a valid JavaScript regular expression, so it is not checked.`;
      document.warn(pointer, `${message} Change it.`);
      return false;
    }
  }

  /**
   * A discriminator never changes what is valid. Ajv's keyword only checks the schema that the tag selects, so its
   * errors are more precise. It requires objects whose tags are different constants.
   */
  function isTagged({ oneOf }: JsonObject, tag: string): boolean {
    const tags = toList(oneOf).flatMap((member) => {
      const { $ref, ...siblings } = asObject(member);
      const target = asObject($ref === undefined ? member : targetOf(document.root, { $ref }));
      const property = asObject(asObject(target.properties)[tag]);
      const isRequired = toList(target.required).includes(tag) && !isHidden(target, tag);
      const hasSiblings = $ref !== undefined && Object.keys(siblings).length > 0;
      if (hasSiblings || target.type !== 'object' || !isRequired) return [undefined];
      return 'const' in property ? [property.const] : (property.enum ?? [undefined]);
    });
    // Ajv keeps the tags as the names of an object.
    const isTag = (value: unknown) => typeof value === 'string' && value !== '' && !(value in {});
    return tags.length > 0 && tags.every(isTag) && new Set(tags).size === tags.length;
  }
}
