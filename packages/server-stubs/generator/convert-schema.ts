/** Converts schemas of a document to what Ajv validates. */
import type { AnySchema } from 'ajv';
import { asObject, entriesOf, isObject, type JsonObject, targetOf, toList } from './json.ts';
import { KEYWORDS, VALUES } from './keywords.ts';
import type { OpenApiDocument } from './openapi.ts';
import {
  isMarked,
  mapSubschemas,
  partsInAllOf,
  propertiesOf,
  subschemasOf,
  typesOf,
} from './subschemas.ts';

/** Context for converting request or response schemas. */
export interface Conversion {
  readonly document: OpenApiDocument;
  /** The mark of properties that do not occur in this direction, and so cannot be required. */
  readonly hidden: 'readOnly' | 'writeOnly';
  /** Returns the ID of the schema that a `$ref` refers to, which is converted, too. */
  readonly toTargetId: ($ref: string) => string;
}

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
  for (const keyword of Object.keys(schema)) {
    if (omitted.has(keyword)) continue;
    // Even if it is left out, because this warns about what its schemas contain.
    const result = convertKeyword(keyword, schema, conversion, parents);
    const isSafe = neededBy(keyword, schema).every((needed) => isSupported(needed, document.root));
    if (result !== undefined && isSafe) converted[keyword] = result;
  }
  return withTag(converted, schema, conversion);
}

/**
 * Returns `undefined` for annotations, which may look like schemas, and for keywords that Ajv does not know. What
 * a parent hides is not required. In requests, for example, this requires only `name`:
 * `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['id', 'name'] }] }`
 */
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
  const schemas = [...parents, schema];
  const isSent = (name: unknown) => !schemas.some((each) => isHidden(each, name, conversion));
  const toRequired = (names: unknown) => (Array.isArray(names) ? names.filter(isSent) : names);
  if (keyword === 'required') return toRequired(value);
  if (keyword === 'dependentRequired' && isObject(value)) {
    return Object.fromEntries(entriesOf(value).map(([name, names]) => [name, toRequired(names)]));
  }
  const applies = KEYWORDS.get(keyword)?.applies;
  const isSameValue = applies !== undefined && applies !== 'as test';
  const inner = isSameValue ? schemas : [];
  return mapSubschemas(keyword, value, (each) => convertSchema(each, conversion, inner));
}

/** The schemas that must be checked completely, or else a keyword rejects valid values. */
function neededBy(keyword: string, schema: JsonObject): unknown[] {
  const needs = KEYWORDS.get(keyword)?.needs;
  if (needs === 'siblings') return [schema];
  return needs === 'schemas' ? [schema[keyword]].flat() : [];
}

/** The mark may be in `allOf` or through a `$ref`. */
function isHidden(schema: JsonObject, name: unknown, { document, hidden }: Conversion): boolean {
  const { root } = document;
  return propertiesOf(partsInAllOf(root, schema)).some(
    ([key, property]) => key === name && isMarked(root, property, hidden),
  );
}

/** Whether everything is checked in a schema, all its subschemas, and all that they refer to. */
function isSupported(schema: unknown, root: JsonObject): boolean {
  // The loop also visits members that are added during it.
  const reached = new Set([schema]);
  for (const part of reached) {
    if (!isObject(part)) continue;
    if (findUnsupported(part, root).length > 0) return false;
    for (const subschema of subschemasOf(part)) reached.add(subschema);
    reached.add(targetOf(root, part));
  }
  return true;
}

/** Keywords of a schema, without its subschemas, that Ajv cannot check, and why. */
function findUnsupported(schema: JsonObject, root: JsonObject): [keyword: string, why: string][] {
  const problems: [string, string][] = [];
  if ('$dynamicRef' in schema) {
    problems.push(['$dynamicRef', 'A $dynamicRef is not checked. Use $ref.']);
  }
  if ('$ref' in schema && targetOf(root, schema) === undefined) {
    problems.push(['$ref', 'A reference to an $anchor is not checked. Use a JSON Pointer.']);
  }
  const names = Object.keys(asObject(schema.patternProperties));
  const patterns = [
    ['pattern', schema.pattern ?? ''],
    ...names.map((name) => ['patternProperties', name]),
  ];
  for (const [keyword, pattern] of patterns) {
    if (isPattern(String(pattern))) continue;
    const problem = 'is not a valid JavaScript regular expression without flags';
    const message = `${JSON.stringify(pattern)} ${problem}, so it is not checked. Rewrite it.`;
    problems.push([String(keyword), message]);
  }
  return problems;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
  } catch {
    return false;
  }
  // Without the flag `u`, `\p{L}` matches `p{L}`.
  return !/(?<!\\)(?:\\\\)*\\[pPu]\{/.test(text);
}

/**
 * Adds Ajv's `discriminator`, which never changes what is valid. It only checks the schema that the tag selects, so its
 * errors are more precise. Ajv accepts it if the alternatives are objects whose tags are different constants.
 */
function withTag(converted: JsonObject, schema: JsonObject, conversion: Conversion): JsonObject {
  const { document } = conversion;
  const tag = asObject(schema.discriminator).propertyName;
  if (typeof tag !== 'string') return converted;
  const alternatives = toList(schema.oneOf ?? schema.anyOf).map(asObject);
  // An alternative that allows only `null` has no tag.
  const objects = alternatives.filter(
    (each) => [...typesOf(document.root, each)].join() !== 'null',
  );
  const tags = objects.map((each) => tagsOf(each, tag, conversion));
  if (tags.length === 0 || tags.some((values) => values.length === 0)) {
    const message = `The values of ${JSON.stringify(tag)} are not checked. Use oneOf, with objects that require a const or enum of it.`;
    document.warn(document.pointerTo(schema.discriminator), message);
    return converted;
  }
  // Ajv keeps the tags as the names of an object.
  const isTag = (value: unknown) => typeof value === 'string' && value !== '' && !(value in {});
  const isUnique = new Set(tags.flat()).size === tags.flat().length;
  if (
    objects.length < alternatives.length ||
    !isUnique ||
    !tags.flat().every(isTag) ||
    !('oneOf' in converted)
  )
    return converted;
  // Ajv looks for tags neither in `allOf` nor beside `$ref`.
  const oneOf = toList(converted.oneOf).map((each, index) => {
    return { required: [tag], properties: { [tag]: { enum: tags[index] } }, allOf: [each] };
  });
  return { ...converted, oneOf, type: 'object', discriminator: { propertyName: tag } };
}

/** The tags that an alternative allows, or none if it is not an object that requires a constant. */
function tagsOf(alternative: JsonObject, tag: string, conversion: Conversion): unknown[] {
  const { root } = conversion.document;
  const parts = partsInAllOf(root, alternative);
  const isObjectOnly = parts.some(({ type }) => type === 'object');
  const isRequired = parts.some(({ required }) => toList(required).includes(tag));
  if (!isObjectOnly || !isRequired || isHidden(alternative, tag, conversion)) return [];
  const properties = propertiesOf(parts).filter(([name]) => name === tag);
  return properties
    .flatMap(([, property]) => partsInAllOf(root, property))
    .flatMap((part) => ('const' in part ? [part.const] : toList(part.enum)));
}
