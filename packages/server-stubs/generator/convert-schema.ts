/** Converts schemas of a document to what Ajv validates. */
import type { AnySchema } from 'ajv';
import { addDiscriminator } from './discriminator.ts';
import {
  asObject,
  entriesOf,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  reachable,
  targetOf,
} from './json.ts';
import { KEYWORDS, VALUES } from './keywords.ts';
import type { OpenApiDocument } from './openapi.ts';
import { type Annotation, hasHidden, mapSubschemas, subschemasOf } from './subschemas.ts';

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
  const { root } = conversion.document;
  const parts = [...reachable([schema], (part) => subschemasOf(part))].map(asObject);
  const references = parts.filter((part) => targetOf(root, part) !== undefined);
  return {
    schema: convert(schema, pointer, conversion, []),
    refs: references.map(({ $ref }) => String($ref)),
  };
}

/**
 * Drops what Ajv cannot check, with a warning, or the entire schema if it would then reject valid values. Also drops
 * annotations, which may look like schemas, and replaces each reference by an ID. For example:
 *
 * `{ type: 'string', title: 'Code', pattern: '(?i)a' }` → `{ type: 'string' }`
 * `{ type: 'string', not: { pattern: '(?i)b' } }` → `true`
 *
 * @param parents schemas for the same value that contain this one. What they hide is not required here. In requests:
 *   `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['id', 'name'] }] }` →
 *   `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['name'] }] }`
 */
function convert(
  schema: unknown,
  pointer: Pointer,
  conversion: Conversion,
  parents: readonly JsonObject[],
): AnySchema {
  // `checkSchemas` rejects anything that is not a schema.
  if (!isObject(schema)) return schema as AnySchema;
  // JSON Schema allows an empty list, and Ajv does not.
  if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
  const { document, hidden, idOf } = conversion;
  const { root } = document;
  const schemas = [...parents, schema];
  const isVisible = (name: unknown) => !schemas.some((part) => hasHidden(root, part, name, hidden));
  const toVisible = (names: unknown) => (Array.isArray(names) ? names.filter(isVisible) : names);
  const unsupported = findUnsupported(schema, root);
  for (const [keyword, message] of unsupported) document.warn(join(pointer, keyword), message);
  const converted: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (unsupported.some(([name]) => name === keyword)) continue;
    // Loading warns about `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
    if (keyword.startsWith('exclusive') && typeof value === 'boolean') continue;
    if (VALUES.has(keyword)) converted[keyword] = value;
    if (keyword === '$ref') converted[keyword] = idOf(String(value));
    if (keyword === 'required') converted[keyword] = toVisible(value);
    if (keyword === 'dependentRequired') {
      const lists = entriesOf(value).map(([name, names]) => [name, toVisible(names)]);
      converted[keyword] = Object.fromEntries(lists);
    }
    const scope = KEYWORDS.get(keyword)?.scope ?? 'other';
    const inner = scope === 'other' || scope === 'test' ? [] : schemas;
    const subschemas = mapSubschemas(keyword, value, (part, place) =>
      convert(part, join(pointer, ...place), conversion, inner),
    );
    if (subschemas !== undefined) converted[keyword] = subschemas;
  }
  const strict = Object.keys(schema).find((keyword) => KEYWORDS.get(keyword)?.needsAllParts);
  if (strict === undefined || isSupported(schema, root)) {
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
