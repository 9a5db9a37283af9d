/** Converts schemas of a document to what Ajv validates. */
import type { AnySchema } from 'ajv';
import { addDiscriminator } from './discriminator.ts';
import { asObject, entriesOf, isObject, type JsonObject, targetOf } from './json.ts';
import { KEYWORDS, VALUES } from './keywords.ts';
import type { OpenApiDocument } from './openapi.ts';
import { hasMarked, type Mark, mapSubschemas, subschemasOf } from './subschemas.ts';

/** Context for converting request or response schemas. */
export interface Conversion {
  readonly document: OpenApiDocument;
  /** The mark of properties that do not occur in this direction, and so cannot be required. */
  readonly hidden: Mark;
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
  // Without the patterns, Ajv cannot tell which properties are additional.
  if (omitted.has('patternProperties')) omitted.add('additionalProperties');
  const converted: JsonObject = {};
  for (const keyword of Object.keys(schema)) {
    if (omitted.has(keyword)) continue;
    // Even if it is left out, because this warns about what its schemas contain.
    const result = convertKeyword(keyword, schema, conversion, parents);
    const isSafe = neededBy(keyword, schema).every((needed) => isSupported(needed, document.root));
    if (result !== undefined && isSafe) converted[keyword] = result;
  }
  return addDiscriminator(converted, schema, document, conversion.hidden);
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
  const { document, hidden } = conversion;
  const isSent = (name: unknown) => {
    return !schemas.some((each) => hasMarked(document.root, each, name, hidden));
  };
  const toRequired = (names: unknown) => (Array.isArray(names) ? names.filter(isSent) : names);
  if (keyword === 'required') return toRequired(value);
  if (keyword === 'dependentRequired' && isObject(value)) {
    return Object.fromEntries(entriesOf(value).map(([name, names]) => [name, toRequired(names)]));
  }
  const scope = KEYWORDS.get(keyword)?.scope ?? 'other';
  const inner = scope === 'other' || scope === 'test' ? [] : schemas;
  return mapSubschemas(keyword, value, (each) => convertSchema(each, conversion, inner));
}

/** The schemas that must be checked completely, or else a keyword rejects valid values. */
function neededBy(keyword: string, schema: JsonObject): unknown[] {
  const needs = KEYWORDS.get(keyword)?.needs;
  if (needs === 'siblings') return [schema];
  return needs === 'schemas' ? [schema[keyword]].flat() : [];
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
