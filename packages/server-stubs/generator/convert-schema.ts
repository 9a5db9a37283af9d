/** Converts schemas of a document to what Ajv validates. */
import type { AnySchema } from 'ajv';
import {
  asObject,
  entriesOf,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  reachable,
  targetOf,
  toList,
} from './json.ts';
import type { OpenApiDocument } from './openapi.ts';
import {
  type Annotation,
  hasHidden,
  KEYWORDS,
  mapSubschemas,
  partsInAllOf,
  propertiesOf,
  subschemasOf,
  typesOf,
} from './subschemas.ts';

export interface Conversion {
  readonly document: OpenApiDocument;
  /** The annotation of properties that do not occur in this direction, and so cannot be required. */
  readonly hidden: Annotation;
  /** Called with each `$ref` that is kept. Returns the ID of the schema that it refers to. */
  toSchemaId($ref: string): string;
}

/**
 * Drops what Ajv cannot check, with a warning, or the entire schema if it would then reject valid values. Also drops
 * annotations, which may look like schemas, and replaces each reference by an ID. For example:
 *
 * `{ type: 'string', title: 'Code', pattern: '(?i)a' }` → `{ type: 'string' }`
 * `{ type: 'string', not: { pattern: '(?i)b' } }` → `true`
 *
 * @param pointer where the schema is, for warnings
 * @param parents schemas for the same value that contain this one. What they hide is not required here. In requests:
 *   `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['id', 'name'] }] }` →
 *   `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['name'] }] }`
 */
export function convertSchema(
  schema: unknown,
  pointer: Pointer,
  conversion: Conversion,
  parents: readonly JsonObject[] = [],
): AnySchema {
  // `checkSchemas` rejects anything that is not a schema.
  if (!isObject(schema)) return schema as AnySchema;
  // JSON Schema allows an empty list, and Ajv does not.
  if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
  const { document } = conversion;
  if (!canBeChecked(schema, pointer, document)) return true;
  const unsupported = findUnsupported(schema, document.root);
  for (const [keyword, message] of unsupported) document.warn(join(pointer, keyword), message);
  const schemas = [...parents, schema];
  const converted: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (unsupported.some(([name]) => name === keyword)) continue;
    const result = convertKeyword(keyword, value, pointer, conversion, schemas);
    if (result !== undefined) converted[keyword] = result;
  }
  return addDiscriminator(converted, schema, pointer, conversion);
}

/** Keywords without schemas that are passed to Ajv as is. */
const VALUES = new Set(
  `type enum const multipleOf maximum minimum format pattern maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties`.split(/\s+/),
);

/** Returns `undefined` if Ajv does not need the keyword. */
function convertKeyword(
  keyword: string,
  value: unknown,
  pointer: Pointer,
  conversion: Conversion,
  schemas: readonly JsonObject[],
): unknown {
  const { document, hidden } = conversion;
  const isVisible = (name: string) => {
    return !schemas.some((part) => hasHidden(document.root, part, name, hidden));
  };
  const toVisible = (names: unknown) => (Array.isArray(names) ? names.filter(isVisible) : names);
  switch (keyword) {
    case '$ref':
      return conversion.toSchemaId(String(value));
    case 'required':
      return toVisible(value);
    case 'dependentRequired':
      return Object.fromEntries(entriesOf(value).map(([name, names]) => [name, toVisible(names)]));
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      // Loading warns about `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
      return typeof value === 'boolean' ? undefined : value;
    default: {
      if (VALUES.has(keyword)) return value;
      const applies = KEYWORDS.get(keyword)?.applies;
      const parents = applies === 'other' || applies === 'test' ? [] : schemas;
      return mapSubschemas(keyword, value, (part, location) =>
        convertSchema(part, join(pointer, ...location), conversion, parents),
      );
    }
  }
}

/**
 * Whether a schema rejects no valid value once everything unsupported in it, and in what it refers to, is dropped. If
 * not, warns about each of these parts.
 */
function canBeChecked(schema: JsonObject, pointer: Pointer, document: OpenApiDocument): boolean {
  const { root } = document;
  const fragile = Object.keys(schema).find((keyword) => KEYWORDS.get(keyword)?.needsAllParts);
  if (fragile === undefined) return true;
  const next = (part: JsonObject) => [...subschemasOf(part), targetOf(root, part)].filter(isObject);
  const problems = [...reachable([schema], next)].flatMap((part) => {
    const unsupported = findUnsupported(part, root);
    return unsupported.map(([name, why]) => [document.pointerTo(part, name), why] as const);
  });
  if (problems.length === 0) return true;
  for (const [at, message] of problems) document.warn(at, message);
  const reason = `it has ${fragile}, and contains or refers to something that is not supported`;
  document.warn(pointer, `This schema is not checked, because ${reason}.`);
  return false;
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
  for (const pattern of [String(schema.pattern ?? ''), ...names]) {
    if (isPattern(pattern)) continue;
    const keyword = names.includes(pattern) ? 'patternProperties' : 'pattern';
    const problem = 'is not a valid JavaScript regular expression without flags';
    const message = `${JSON.stringify(pattern)} ${problem}, so it is not checked. Rewrite it.`;
    problems.push([keyword, message]);
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
function addDiscriminator(
  converted: JsonObject,
  schema: JsonObject,
  pointer: Pointer,
  { document, hidden }: Conversion,
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
  // Ajv uses tags as property names.
  const isNamed = all.every((each) => typeof each === 'string' && each !== '' && !(each in {}));
  if (!isUnique || !isComplete || !isNamed || !('oneOf' in converted)) return converted;
  // Ajv looks for tags neither in `allOf` nor beside `$ref`.
  const oneOf = toList(converted.oneOf).map((part, index) => {
    return { required: [tag], properties: { [tag]: { enum: tags[index] } }, allOf: [part] };
  });
  return { ...converted, oneOf, type: 'object', discriminator: { propertyName: tag } };
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
