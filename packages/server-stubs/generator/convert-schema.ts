/** Converts schemas of a document to what Ajv validates. */
import type { AnySchema } from 'ajv';
import {
  asObject,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  targetOf,
  toList,
} from './openapi.ts';
import { ALL_OF, isMarked, mapSubschemas, propertiesOf, subschemasOf } from './subschemas.ts';

/** Context for converting request or response schemas. */
export interface Conversion {
  readonly document: OpenApiDocument;
  /** The mark of properties that do not occur in this direction, and so cannot be required. */
  readonly hidden: 'readOnly' | 'writeOnly';
  /** Returns the ID of the schema that a `$ref` refers to, which is converted, too. */
  readonly toTargetId: ($ref: string) => string;
}

/** Keywords that stay as they are. */
const VALUES = new Set(
  `type enum const multipleOf maximum minimum exclusiveMaximum exclusiveMinimum format pattern maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties dependentRequired`.split(
    /\s+/,
  ),
);

/** Keywords whose schemas may require properties of the same value. Those of `if` and `not` only look for them. */
const REQUIRING = /^(?:allOf|anyOf|oneOf|then|else|dependentSchemas)$/;

/** Keywords that would reject valid values if any part of their schemas were omitted. */
const STRICT = /^(?:oneOf|not|if|contains)$/;

/** Keywords that would reject valid values if any part of the enclosing schema were omitted. */
const UNEVALUATED = /^unevaluated(?:Items|Properties)$/;

/** @param parents schemas for the same value that contain this one, which may require its properties */
export function convertSchema(
  schema: unknown,
  conversion: Conversion,
  parents: readonly JsonObject[] = [],
): AnySchema {
  // `checkSchemas` rejects anything that is not a schema.
  if (!isObject(schema)) return schema as AnySchema;
  // JSON Schema allows an empty list, and Ajv does not.
  if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
  const { document } = conversion;
  const omitted = new Set<string>();
  for (const [keyword, message] of findUnsupported(schema, document.root)) {
    omitted.add(keyword);
    document.warn(document.pointerTo(schema, keyword), message);
  }
  // It is not known which properties are additional.
  if (omitted.has('patternProperties')) omitted.add('additionalProperties');
  const converted: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (omitted.has(keyword)) continue;
    // Even if the result is not safe, because this warns about what its schemas contain.
    const result = convertKeyword(keyword, schema, conversion, parents);
    const isSafe =
      (!STRICT.test(keyword) || [value].flat().every((each) => isSupported(each, document.root))) &&
      (!UNEVALUATED.test(keyword) || isSupported(schema, document.root));
    if (result !== undefined && isSafe) converted[keyword] = result;
  }
  return withTag(converted, schema, conversion);
}

/** Returns `undefined` for annotations, which may look like schemas, and for keywords that Ajv does not know. */
function convertKeyword(
  keyword: string,
  schema: JsonObject,
  conversion: Conversion,
  parents: readonly JsonObject[],
): unknown {
  const value = schema[keyword];
  // Loading warns about `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
  if (keyword.startsWith('exclusive') && typeof value === 'boolean') return undefined;
  if (VALUES.has(keyword)) return value;
  if (keyword === '$ref') return conversion.toTargetId(String(value));
  if (keyword === 'required') {
    const schemas = [...parents, schema];
    const isSent = (name: unknown) => !schemas.some((each) => isHidden(each, name, conversion));
    return Array.isArray(value) ? value.filter(isSent) : value;
  }
  const others = REQUIRING.test(keyword) ? [...parents, schema] : [];
  return mapSubschemas(keyword, value, (each) => convertSchema(each, conversion, others));
}

/** The mark may be in `allOf` or behind a `$ref`. */
function isHidden(schema: JsonObject, name: unknown, { document, hidden }: Conversion): boolean {
  const { root } = document;
  return propertiesOf(root, schema, ALL_OF).some(
    ([key, property]) => key === name && isMarked(root, property, hidden),
  );
}

/**
 * Whether everything is checked in a schema, all its subschemas, and all that they refer to.
 *
 * Without an unsupported part, most keywords accept more, but some reject valid values: in
 * `oneOf: [{ pattern: '(?i)a' }, { maxLength: 9 }]`, both schemas match `b` once the pattern is dropped.
 */
function isSupported(schema: unknown, root: JsonObject): boolean {
  // Grows while it is read.
  const reached = new Set([schema]);
  for (const part of reached) {
    if (!isObject(part)) continue;
    if (findUnsupported(part, root).length > 0) return false;
    for (const other of [...subschemasOf(part), targetOf(root, part)]) reached.add(other);
  }
  return true;
}

/** Keywords of a schema, without its subschemas, that Ajv cannot check, and why. */
function findUnsupported(schema: JsonObject, root: JsonObject): [keyword: string, why: string][] {
  const found: [string, string][] = [];
  if ('$dynamicRef' in schema) {
    found.push(['$dynamicRef', 'A $dynamicRef is not checked. Use $ref.']);
  }
  if ('$ref' in schema && targetOf(root, schema) === undefined) {
    found.push(['$ref', 'A reference to an $anchor is not checked. Use a JSON Pointer.']);
  }
  const names = Object.keys(asObject(schema.patternProperties));
  const patterns = [
    ['pattern', schema.pattern ?? ''],
    ...names.map((name) => ['patternProperties', name]),
  ];
  for (const [keyword, pattern] of patterns) {
    try {
      new RegExp(String(pattern));
    } catch {
      const problem = 'is not a valid JavaScript regular expression, so it is not checked';
      found.push([String(keyword), `${JSON.stringify(pattern)} ${problem}. Rewrite it.`]);
    }
  }
  return found;
}

/**
 * Adds Ajv's `discriminator`, which never changes what is valid. It only checks the schema that the tag selects, so its
 * errors are more precise. Ajv accepts it if the alternatives are objects whose tags are different constants.
 */
function withTag(converted: JsonObject, schema: JsonObject, conversion: Conversion): JsonObject {
  const tag = asObject(schema.discriminator).propertyName;
  if (typeof tag !== 'string' || !('oneOf' in converted)) return converted;
  const tags = toList(schema.oneOf).flatMap((each) => tagsOf(asObject(each), tag, conversion));
  // Ajv keeps the tags as the names of an object.
  const isTag = (value: unknown) => typeof value === 'string' && value !== '' && !(value in {});
  const isUnique = tags.length > 0 && new Set(tags).size === tags.length;
  if (!isUnique || !tags.every(isTag)) return converted;
  return { ...converted, type: 'object', discriminator: { propertyName: tag } };
}

/** The tags that an alternative allows, which are `undefined` if it does not require a constant. */
function tagsOf(alternative: JsonObject, tag: string, conversion: Conversion): unknown[] {
  const target = targetOf(conversion.document.root, alternative);
  const schema = asObject(target ?? alternative);
  const hasSiblings = target !== undefined && Object.keys(alternative).length > 1;
  const isRequired = toList(schema.required).includes(tag) && !isHidden(schema, tag, conversion);
  if (hasSiblings || schema.type !== 'object' || !isRequired) return [undefined];
  const property = asObject(asObject(schema.properties)[tag]);
  return 'const' in property ? [property.const] : [property.enum].flat();
}
