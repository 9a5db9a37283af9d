/** How each keyword of JSON Schema is converted for Ajv. */
import { isPattern } from './checkable.ts';
import { asObject, entriesOf, type JsonObject, type OpenApiDocument, toList } from './document.ts';

/** A keyword in a schema, and the conversion that it is part of. */
export interface Keyword {
  readonly name: string;
  /** The schema that has the keyword. */
  readonly owner: JsonObject;
  /** Schemas for the same value that contain the owner, which may require its properties. */
  readonly parents: readonly JsonObject[];
  readonly conversion: Conversion;
}

/** The conversion of the schemas of requests or of responses. */
export interface Conversion {
  readonly document: OpenApiDocument;
  convert(schema: unknown, parents?: readonly JsonObject[]): unknown;
  /** Converts the target of a `$ref`, once, and returns its ID. */
  refer(reference: string): string;
  /** Whether nothing that a schema consists of is left out. */
  isComplete(schema: unknown): boolean;
  /** Whether a property does not occur in this direction, and so cannot be required. */
  isHidden(schema: JsonObject, name: unknown): boolean;
}

/** Returns `undefined` if the keyword is left out. */
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
  ['items propertyNames then else', convertSchema],
  ['prefixItems', convertList],
  ['properties dependentSchemas', convertByName],
  ['patternProperties', convertByPattern],
  ['additionalProperties', convertAdditional],
  ['allOf anyOf', convertParts],
  // These would reject what is valid if something in their schemas were left out.
  ['oneOf', ifComplete(convertParts)],
  ['not if contains', ifComplete(convertSchema)],
  ['unevaluatedItems unevaluatedProperties', convertUnevaluated],
];

/** By keyword. */
export const CONVERTERS: ReadonlyMap<string, Convert> = new Map(
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
  return value.filter((name) => !schemas.some((schema) => conversion.isHidden(schema, name)));
}

function convertPattern(value: unknown, keyword: Keyword): unknown {
  return isChecked(String(value), keyword) ? value : undefined;
}

function convertReference(value: unknown, keyword: Keyword): unknown {
  const reference = String(value);
  if (/^#(?:\/|$)/.test(reference)) return keyword.conversion.refer(reference);
  return warn(keyword, 'A reference to an $anchor is not checked. Use a JSON Pointer.');
}

function convertSchema(value: unknown, { conversion }: Keyword): unknown {
  return conversion.convert(value);
}

function convertList(value: unknown, { conversion }: Keyword): unknown {
  return toList(value).map((schema) => conversion.convert(schema));
}

function convertByName(value: unknown, { conversion }: Keyword): unknown {
  const entries = entriesOf(value).map(([name, schema]) => [name, conversion.convert(schema)]);
  return Object.fromEntries(entries);
}

function convertByPattern(value: unknown, keyword: Keyword): unknown {
  const checked = entriesOf(value).filter(([pattern]) => isChecked(pattern, keyword));
  return convertByName(Object.fromEntries(checked), keyword);
}

/** Left out if it is not known which properties are additional. */
function convertAdditional(value: unknown, keyword: Keyword): unknown {
  const patterns = Object.keys(asObject(keyword.owner.patternProperties));
  return patterns.every(isPattern) ? convertSchema(value, keyword) : undefined;
}

/** Converts schemas for the same value. */
function convertParts(value: unknown, { owner, parents, conversion }: Keyword): unknown {
  return toList(value).map((schema) => conversion.convert(schema, [...parents, owner]));
}

function convertUnevaluated(value: unknown, keyword: Keyword): unknown {
  const converted = convertSchema(value, keyword);
  return keyword.conversion.isComplete(keyword.owner) ? converted : undefined;
}

function ifComplete(convert: Convert): Convert {
  return (value, keyword) => {
    // In any case, because it warns about what is left out.
    const converted = convert(value, keyword);
    const isComplete = [value].flat().every((schema) => keyword.conversion.isComplete(schema));
    return isComplete ? converted : undefined;
  };
}

function isChecked(pattern: string, keyword: Keyword): boolean {
  if (isPattern(pattern)) return true;
  const text = JSON.stringify(pattern);
  const problem = 'is not a valid JavaScript regular expression, so it is not checked';
  warn(keyword, `${text} ${problem}. Change it.`);
  return false;
}

function warn({ name, owner, conversion: { document } }: Keyword, message: string): undefined {
  document.warn(document.pointerTo(owner, name), message);
}
