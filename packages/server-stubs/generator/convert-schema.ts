/** Converts schemas of a document to what Ajv validates, in two passes. */
import type { AnySchema } from 'ajv';
import { addDiscriminator } from './discriminator.ts';
import {
  asObject,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  reachable,
  targetOf,
} from './json.ts';
import { KEYWORDS, VALUES } from './keywords.ts';
import type { OpenApiDocument } from './openapi.ts';
import { type Annotation, hasAnnotated, mapSubschemas, subschemasOf } from './subschemas.ts';

export interface Conversion {
  readonly document: OpenApiDocument;
  /** The annotation of properties that do not occur in this direction, and so cannot be required. */
  readonly hidden: Annotation;
  /** Returns the ID of the schema that a `$ref` refers to. */
  readonly idOf: ($ref: string) => string;
}

/**
 * Returns a converted schema, and every `$ref` in it.
 *
 * @param pointer where the schema is, for warnings
 */
export function convertSchema(schema: unknown, pointer: Pointer, conversion: Conversion) {
  const { document, hidden } = conversion;
  const visible = dropHiddenFromRequired(schema, hidden, document.root);
  const parts = [...reachable([visible], (part) => subschemasOf(part))].map(asObject);
  return {
    schema: dropUnsupported(visible, pointer, conversion),
    refs: parts
      .filter((part) => targetOf(document.root, part) !== undefined)
      .map(({ $ref }) => String($ref)),
  };
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
  hidden: Annotation,
  root: JsonObject,
  parents: readonly JsonObject[] = [],
): unknown {
  if (!isObject(schema)) return schema;
  const schemas = [...parents, schema];
  const isVisible = (name: unknown) =>
    !schemas.some((part) => hasAnnotated(root, part, name, hidden));
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
 * Second pass: drops what Ajv cannot check, with a warning, or the entire schema if it would then reject valid values.
 * Also drops annotations, which may look like schemas, and replaces each reference by an ID. For example:
 *
 * `{ type: 'string', title: 'Code', pattern: '(?i)a' }` → `{ type: 'string' }`
 * `{ type: 'string', not: { pattern: '(?i)b' } }` → `true`
 */
function dropUnsupported(schema: unknown, pointer: Pointer, conversion: Conversion): AnySchema {
  // `checkSchemas` rejects anything that is not a schema.
  if (!isObject(schema)) return schema as AnySchema;
  // JSON Schema allows an empty list, and Ajv does not.
  if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
  const { document, idOf } = conversion;
  const unsupported = findUnsupported(schema, document.root);
  for (const [keyword, message] of unsupported) document.warn(join(pointer, keyword), message);
  const converted: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (unsupported.some(([name]) => name === keyword)) continue;
    // Loading warns about `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
    if (keyword.startsWith('exclusive') && typeof value === 'boolean') continue;
    if (VALUES.has(keyword)) converted[keyword] = value;
    if (keyword === '$ref') converted[keyword] = idOf(String(value));
    const subschemas = mapSubschemas(keyword, value, (part, place) =>
      dropUnsupported(part, join(pointer, ...place), conversion),
    );
    if (subschemas !== undefined) converted[keyword] = subschemas;
  }
  const strict = Object.keys(schema).find((keyword) => KEYWORDS.get(keyword)?.needsAllParts);
  if (strict === undefined || isSupported(schema, document.root)) {
    return addDiscriminator(converted, schema, pointer, conversion);
  }
  const reason = `it has ${strict}, and contains or refers to something that is not supported`;
  document.warn(pointer, `This schema is not checked, because ${reason}.`);
  return true;
}

/** Whether everything is checked in a schema, all its subschemas, and all that they refer to. */
function isSupported(schema: JsonObject, root: JsonObject): boolean {
  const next = (part: JsonObject) => [...subschemasOf(part), targetOf(root, part)].filter(isObject);
  return [...reachable([schema], next)].every((part) => findUnsupported(part, root).length === 0);
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
  const patterns: [keyword: string, pattern: unknown][] = [
    ['pattern', schema.pattern ?? ''],
    ...names.map((name): [string, string] => ['patternProperties', name]),
  ];
  for (const [keyword, pattern] of patterns) {
    if (isPattern(String(pattern))) continue;
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
