/** Converts schemas of a document to what Ajv validates, in two passes. */
import type { AnySchema } from 'ajv';
import { addDiscriminator } from './discriminator.ts';
import { asObject, isObject, type JsonObject, join, type Pointer, targetOf } from './json.ts';
import { KEYWORDS, VALUES } from './keywords.ts';
import type { OpenApiDocument } from './openapi.ts';
import { hasMarked, type Mark, mapSubschemas, subschemasOf } from './subschemas.ts';

export interface Conversion {
  readonly document: OpenApiDocument;
  /** The mark of properties that do not occur in this direction, and so cannot be required. */
  readonly hidden: Mark;
  /** Returns the ID of the schema that a `$ref` refers to, which is converted, too. */
  readonly toTargetId: ($ref: string) => string;
}

/** @param pointer where the schema is, for warnings */
export function convertSchema(schema: unknown, pointer: Pointer, conversion: Conversion) {
  const { document, hidden } = conversion;
  const visible = dropHiddenFromRequired(schema, hidden, document.root);
  return dropUnsupported(visible, pointer, conversion);
}

/**
 * First pass: requires no hidden property. A property that a schema hides is not required by its subschemas for the
 * same value. In requests, for example:
 *
 * `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['id', 'name'] }] }` →
 * `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['name'] }] }`
 *
 * @param parents schemas for the same value that contain this one
 */
function dropHiddenFromRequired(
  schema: unknown,
  hidden: Mark,
  root: JsonObject,
  parents: readonly JsonObject[] = [],
): unknown {
  if (!isObject(schema)) return schema;
  const schemas = [...parents, schema];
  const isVisible = (name: unknown) => !schemas.some((part) => hasMarked(root, part, name, hidden));
  const toVisible = (names: unknown) => (Array.isArray(names) ? names.filter(isVisible) : names);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === 'required') return [keyword, toVisible(value)];
    if (keyword === 'dependentRequired') {
      const lists = Object.entries(asObject(value)).map(([key, list]) => [key, toVisible(list)]);
      return [keyword, Object.fromEntries(lists)];
    }
    const scope = KEYWORDS.get(keyword)?.scope ?? 'other';
    const inner = scope === 'other' || scope === 'test' ? [] : schemas;
    const change = (part: unknown) => dropHiddenFromRequired(part, hidden, root, inner);
    return [keyword, mapSubschemas(keyword, value, change) ?? value];
  });
  return Object.fromEntries(entries);
}

/**
 * Second pass: drops what Ajv cannot check, with a warning, and what would then reject valid values. Also drops
 * annotations, which may look like schemas, and replaces each reference by an ID. For example:
 *
 * `{ type: 'string', title: 'Code', pattern: '(?i)a', not: { pattern: '(?i)b' } }` → `{ type: 'string' }`
 */
function dropUnsupported(schema: unknown, pointer: Pointer, conversion: Conversion): AnySchema {
  // `checkSchemas` rejects anything that is not a schema.
  if (!isObject(schema)) return schema as AnySchema;
  // JSON Schema allows an empty list, and Ajv does not.
  if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
  const { document, toTargetId } = conversion;
  const omitted = new Set<string>();
  for (const [keyword, message] of findUnsupported(schema, document.root)) {
    omitted.add(keyword);
    document.warn(join(pointer, keyword), message);
  }
  // Without the patterns, Ajv cannot tell which properties are additional.
  if (omitted.has('patternProperties')) omitted.add('additionalProperties');
  const converted: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (omitted.has(keyword)) continue;
    // Loading warns about `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
    if (keyword.startsWith('exclusive') && typeof value === 'boolean') continue;
    if (VALUES.has(keyword)) converted[keyword] = value;
    if (keyword === '$ref') converted[keyword] = toTargetId(String(value));
    // Even if the keyword is dropped, because this warns about what its schemas contain.
    const subschemas = mapSubschemas(keyword, value, (part, place) =>
      dropUnsupported(part, join(pointer, ...place), conversion),
    );
    const isSafe = neededBy(keyword, schema).every((needed) => isSupported(needed, document.root));
    if (subschemas !== undefined && isSafe) converted[keyword] = subschemas;
  }
  return addDiscriminator(converted, schema, pointer, conversion);
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
    const unchecked =
      keyword === 'pattern' ? 'it is' : 'patternProperties and additionalProperties are';
    const message = `${JSON.stringify(pattern)} ${problem}, so ${unchecked} not checked. Rewrite it.`;
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
