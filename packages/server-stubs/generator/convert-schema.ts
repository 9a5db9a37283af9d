/** Converts schemas of a document to what Ajv validates. */
import type { AnySchema } from 'ajv';
import {
  asObject,
  entriesOf,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  toList,
} from './openapi.ts';
import { ALL_OF, isMarked, mapSubschemas, propertiesOf } from './schemas.ts';
import { haveTags, isPattern } from './supported.ts';

/** Context for converting request or response schemas. */
export interface Conversion {
  readonly document: OpenApiDocument;
  /** The mark of properties that do not occur in this direction, and so cannot be required. */
  readonly hidden: 'readOnly' | 'writeOnly';
  /** Whether nothing that a schema consists of is omitted. */
  readonly isSupported: (schema: unknown) => boolean;
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
  const converted: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    const result = CONVERTERS.get(name)?.(value, { name, owner: schema, parents, conversion });
    if (result !== undefined) converted[name] = result;
  }
  // A discriminator never changes what is valid. Ajv's keyword only checks the schema that the tag selects, so its
  // errors are more precise.
  const tag = asObject(schema.discriminator).propertyName;
  if (typeof tag !== 'string' || !('oneOf' in converted)) return converted;
  const isRequired = (each: JsonObject) =>
    toList(each.required).includes(tag) && !isHidden(each, tag, conversion);
  if (!haveTags(schema.oneOf, tag, conversion.document, isRequired)) return converted;
  return { ...converted, type: 'object', discriminator: { propertyName: tag } };
}

/** A keyword in a schema. */
interface Keyword {
  readonly name: string;
  /** The schema that has the keyword. */
  readonly owner: JsonObject;
  readonly parents: readonly JsonObject[];
  readonly conversion: Conversion;
}

/** Returns `undefined` to omit the keyword. */
type Convert = (value: unknown, keyword: Keyword) => unknown;

/** Other keywords are annotations, which have no effect and may look like schemas, or unknown to Ajv. */
const ROWS: readonly (readonly [keywords: string, convert: Convert])[] = [
  ['type enum const multipleOf maximum minimum format dependentRequired', convertValue],
  ['maxLength minLength maxItems minItems uniqueItems maxContains minContains', convertValue],
  ['maxProperties minProperties', convertValue],
  ['exclusiveMinimum exclusiveMaximum', convertBound],
  ['required', convertRequired],
  ['pattern', convertPattern],
  ['$ref', convertReference],
  ['$dynamicRef', (_, keyword) => warn(keyword, 'A $dynamicRef is not checked. Use $ref.')],
  ['items prefixItems propertyNames then else allOf anyOf', convertSubschemas],
  ['properties dependentSchemas', convertSubschemas],
  ['patternProperties', convertPatternProperties],
  ['additionalProperties', convertAdditionalProperties],
  ['oneOf not if contains', convertStrict],
  ['unevaluatedItems unevaluatedProperties', convertUnevaluated],
];

const CONVERTERS: ReadonlyMap<string, Convert> = new Map(
  ROWS.flatMap(([names, convert]) => names.split(' ').map((name) => [name, convert] as const)),
);

function convertValue(value: unknown): unknown {
  return value;
}

/** Loading warns about `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0. */
function convertBound(value: unknown): unknown {
  return typeof value === 'boolean' ? undefined : value;
}

function convertRequired(value: unknown, { owner, parents, conversion }: Keyword): unknown {
  if (!Array.isArray(value)) return value;
  const schemas = [...parents, owner];
  return value.filter((name) => !schemas.some((schema) => isHidden(schema, name, conversion)));
}

/** The mark may be in `allOf` or behind a `$ref`. */
function isHidden(schema: JsonObject, name: unknown, { document, hidden }: Conversion): boolean {
  const { root } = document;
  return propertiesOf(root, schema, ALL_OF).some(
    ([key, property]) => key === name && isMarked(root, property, hidden),
  );
}

function convertPattern(value: unknown, keyword: Keyword): unknown {
  return isPatternOrWarn(String(value), keyword) ? value : undefined;
}

function convertReference(value: unknown, keyword: Keyword): unknown {
  const reference = String(value);
  if (/^#(?:\/|$)/.test(reference)) return keyword.conversion.toTargetId(reference);
  return warn(keyword, 'A reference to an $anchor is not checked. Use a JSON Pointer.');
}

/** Keywords whose schemas may require properties of the same value. Those of `if` and `not` only look for them. */
const REQUIRING = /^(?:allOf|anyOf|oneOf|then|else|dependentSchemas)$/;

function convertSubschemas(value: unknown, { name, owner, parents, conversion }: Keyword): unknown {
  const others = REQUIRING.test(name) ? [...parents, owner] : [];
  return mapSubschemas(name, value, (schema) => convertSchema(schema, conversion, others));
}

function convertPatternProperties(value: unknown, keyword: Keyword): unknown {
  const supported = entriesOf(value).filter(([pattern]) => isPatternOrWarn(pattern, keyword));
  return convertSubschemas(Object.fromEntries(supported), keyword);
}

/** Omitted if it is not known which properties are additional. */
function convertAdditionalProperties(value: unknown, keyword: Keyword): unknown {
  const patterns = Object.keys(asObject(keyword.owner.patternProperties));
  return patterns.every(isPattern) ? convertSubschemas(value, keyword) : undefined;
}

/** Omitted if any part of its schemas was omitted: it would then reject valid values. */
function convertStrict(value: unknown, keyword: Keyword): unknown {
  // In any case, because it warns about what is omitted.
  const converted = convertSubschemas(value, keyword);
  return [value].flat().every(keyword.conversion.isSupported) ? converted : undefined;
}

/** Omitted if any part of the enclosing schema was omitted: it would then reject valid values. */
function convertUnevaluated(value: unknown, keyword: Keyword): unknown {
  const converted = convertSubschemas(value, keyword);
  return keyword.conversion.isSupported(keyword.owner) ? converted : undefined;
}

function isPatternOrWarn(pattern: string, keyword: Keyword): boolean {
  if (isPattern(pattern)) return true;
  const text = JSON.stringify(pattern);
  const problem = 'is not a valid JavaScript regular expression, so it is not checked';
  warn(keyword, `${text} ${problem}. Rewrite it.`);
  return false;
}

function warn({ name, owner, conversion: { document } }: Keyword, message: string): undefined {
  document.warn(document.pointerTo(owner, name), message);
}
