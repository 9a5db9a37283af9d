/** Converts schemas of a document to what Ajv validates. */
import type { AnySchema } from 'ajv';
import { addDiscriminator } from './discriminator.ts';
import { asObject, entriesOf, isObject, type JsonObject, reachable, targetOf } from './json.ts';
import type { OpenApiDocument } from './openapi.ts';
import {
  type Annotation,
  KEYWORDS,
  mapSubschemas,
  remember,
  subschemasOf,
  visitSchemas,
} from './subschemas.ts';

/** Keywords without schemas that Ajv validates, except `$ref`. */
const VALUES = new Set(
  `type enum const multipleOf maximum minimum exclusiveMaximum exclusiveMinimum format pattern maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired`.split(
    /\s+/,
  ),
);

/**
 * Creates a function that converts schemas. It drops what Ajv cannot check, with a warning, or the entire schema if it
 * would then reject valid values. It also drops annotations, which may look like schemas. For example:
 *
 * `{ type: 'string', title: 'Code', pattern: '(?i)a' }` → `{ type: 'string' }`
 * `{ type: 'string', not: { pattern: '(?i)b' } }` → `true`
 *
 * @param hidden the annotation of properties that do not occur in this direction, and so cannot be required
 * @param toId returns the ID of what a `$ref` of the document refers to. Ajv gets this ID
 */
export function createConverter(
  document: OpenApiDocument,
  hidden: Annotation,
  toId: ($ref: string) => string,
) {
  const { root, reader } = document;
  const incomplete = findIncomplete(root);
  /** Incomplete schemas whose unsupported keywords have caused warnings. */
  const reported = new Set<JsonObject>();

  /**
   * @param inherited names that the schemas around this one hide, if they are for the same value. In requests:
   *   `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['id', 'name'] }] }` →
   *   `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['name'] }] }`
   */
  function convert(schema: unknown, inherited: ReadonlySet<string>): AnySchema {
    // `checkSchemas` rejects anything that is not a schema.
    if (!isObject(schema)) return schema as AnySchema;
    // JSON Schema allows an empty list, and Ajv does not.
    if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
    if (!canBeChecked(schema)) return true;
    const unsupported = warnAboutUnsupported(schema);
    const hiddenNames = new Set([...inherited, ...hiddenNamesOf(schema)]);
    const converted: JsonObject = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (unsupported.includes(keyword)) continue;
      const result = convertKeyword(keyword, value, hiddenNames);
      if (result !== undefined) converted[keyword] = result;
    }
    return addDiscriminator(converted, schema, document, hiddenNamesOf);
  }

  /** Returns `undefined` if Ajv does not need the keyword. */
  function convertKeyword(keyword: string, value: unknown, hiddenNames: ReadonlySet<string>) {
    if (keyword === '$ref') return toId(value as string);
    if (VALUES.has(keyword)) return convertValue(keyword, value, hiddenNames);
    const applies = KEYWORDS.get(keyword)?.applies;
    const isSameValue = applies !== 'children' && applies !== 'test';
    const inherited = isSameValue ? hiddenNames : new Set<string>();
    return mapSubschemas(keyword, value, (part) => convert(part, inherited));
  }

  /** Returns the keywords. */
  function warnAboutUnsupported(schema: JsonObject): string[] {
    return findUnsupported(schema, root).map(([keyword, message]) => {
      document.warn(document.pointerTo(schema, keyword), message);
      return keyword;
    });
  }

  /** The names of hidden properties, in a schema, through its `$ref` or in its `allOf`. */
  const hiddenNamesOf = remember((schema): ReadonlySet<string> => {
    const names = entriesOf(schema.properties)
      .filter(([, property]) => reader.annotationsOf(property).has(hidden))
      .map(([name]) => name);
    const inParts = reader.partsOf(schema).flatMap((part) => [...hiddenNamesOf(part)]);
    return new Set([...names, ...inParts]);
  });

  /**
   * Whether a schema rejects no valid value once everything unsupported in it, and in what it refers to, is dropped. If
   * not, warns about each of these parts.
   */
  function canBeChecked(schema: JsonObject): boolean {
    const strictKeyword = Object.keys(schema).find(
      (keyword) => KEYWORDS.get(keyword)?.needsAllParts,
    );
    if (strictKeyword === undefined || !incomplete.has(schema)) return true;
    const isUnreported = (part: JsonObject) => incomplete.has(part) && !reported.has(part);
    const parts = reachable([schema], (part) => allPartsOf(part, root).filter(isUnreported));
    for (const part of parts) {
      reported.add(part);
      warnAboutUnsupported(part);
    }
    const reason = `it has ${strictKeyword}, and contains or refers to something that is not supported`;
    document.warn(document.pointerTo(schema), `This schema is not checked, because ${reason}.`);
    return false;
  }

  return (schema: unknown) => convert(schema, new Set());
}

function convertValue(keyword: string, value: unknown, hiddenNames: ReadonlySet<string>): unknown {
  const toVisible = (names: unknown) =>
    Array.isArray(names) ? names.filter((name) => !hiddenNames.has(name)) : names;
  if (keyword === 'required') return toVisible(value);
  if (keyword === 'dependentRequired') {
    return Object.fromEntries(entriesOf(value).map(([name, names]) => [name, toVisible(names)]));
  }
  // Loading warns about `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
  return keyword.startsWith('exclusive') && typeof value === 'boolean' ? undefined : value;
}

/** The schemas of a document that contain, or refer to, something that Ajv cannot check. */
const findIncomplete = remember((root): ReadonlySet<JsonObject> => {
  const schemas: JsonObject[] = [];
  visitSchemas(root, (schema) => schemas.push(schema));
  // References may also lead to schemas elsewhere, such as in extensions.
  const reached = [...reachable(schemas, (schema) => allPartsOf(schema, root))];
  const uses = reached.flatMap((user) => allPartsOf(user, root).map((part) => ({ part, user })));
  const usesByPart = Map.groupBy(uses, ({ part }) => part);
  const unsupported = reached.filter((schema) => findUnsupported(schema, root).length > 0);
  return reachable(unsupported, (part) => (usesByPart.get(part) ?? []).map(({ user }) => user));
});

function allPartsOf(schema: JsonObject, root: JsonObject): JsonObject[] {
  return [...subschemasOf(schema), targetOf(root, schema)].filter(isObject);
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
