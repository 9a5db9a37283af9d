import { decodeText } from '@berth/server-stubs/contract';
import { isObject } from '../user-input.ts';

type JsonObject = Record<string, unknown>;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** An operation, and the document that its references are in. */
interface Operation {
  readonly operation: JsonObject;
  readonly document: JsonObject;
}

/** Returns the operations of OpenAPI 3.1 documents by `operationId`. The first document takes precedence. */
export function listOperations(documents: readonly JsonObject[]): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const document of documents.toReversed()) {
    for (const [, item] of entriesOf(document.paths)) {
      for (const [method, operation] of entriesOf(item)) {
        if (!METHODS.includes(method) || !isObject(operation)) continue;
        operations.set(String(operation.operationId), { operation, document });
      }
    }
  }
  return operations;
}

/** Returns a document with only an operation's responses, and no references: Prism would follow every path of them. */
export function toResponsesDocument({ operation, document }: Operation): JsonObject {
  const { operationId, deprecated, responses } = operation;
  const entries = entriesOf(responses).map(([status, response]) => [
    status,
    copyResponse(document, follow(document, response)),
  ]);
  const get = { operationId, deprecated, responses: Object.fromEntries(entries) };
  const info = { title: '', version: '' };
  return { openapi: '3.1.0', info, paths: { '/': { get } } };
}

function copyResponse(document: JsonObject, response: JsonObject): JsonObject {
  const toMedia = ([name, media]: [string, unknown]) => [
    name,
    copyExamples(document, follow(document, media)),
  ];
  return {
    description: '',
    headers: Object.fromEntries(entriesOf(response.headers).map(toMedia)),
    // OpenAPI cannot describe the events in `x-berth-content`, but they have examples.
    content: Object.fromEntries(
      [response.content, response['x-berth-content']].flatMap(entriesOf).map(toMedia),
    ),
  };
}

function copyExamples(document: JsonObject, { schema, example, examples }: JsonObject): JsonObject {
  return {
    ...(schema !== undefined && { schema: expandSchema(document, schema) }),
    ...(example !== undefined && { example }),
    ...(examples !== undefined && {
      examples: Object.fromEntries(
        entriesOf(examples).map(([name, each]) => [name, follow(document, each)]),
      ),
    }),
  };
}

/** Max nesting depth of an example. Prism's own limit is 15. */
const MAX_LEVELS = 16;

/** Max number of schemas that an example is made of. Prism's own limit is 2,500. */
const MAX_SCHEMAS = 2000;

/** Max recursion depth of a schema. */
const MAX_REPEATS = 2;

/** Keywords with the schemas that an example is made of. Prism would also follow references in other keywords. */
const MAPS = ['properties', 'patternProperties'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLES = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else'];
const PARTS = [...MAPS, ...LISTS, ...SINGLES];
const OMITTED =
  /^(\$.*|x-(?!faker$).*|definitions|dependentSchemas|propertyNames|unevaluated(Items|Properties))$/;

/**
 * Copies a schema and replaces each `$ref` with the schema that it refers to. What is beyond the limits is omitted: a
 * property, a choice, the items of an array. If there are too many schemas, the copy has fewer levels.
 */
function expandSchema(document: JsonObject, schema: unknown): unknown {
  for (let levels = MAX_LEVELS; ; levels -= 1) {
    const budget = { schemas: MAX_SCHEMAS };
    const copy = copySchema(document, schema, levels, [], budget);
    if (budget.schemas >= 0) return copy ?? {};
  }
}

/** @returns undefined if the schema is omitted */
function copySchema(
  document: JsonObject,
  schema: unknown,
  levels: number,
  ancestorRefs: readonly string[],
  budget: { schemas: number },
): unknown {
  if (!isObject(schema)) return schema;
  budget.schemas -= 1;
  const { references, resolved } = resolve(document, schema, ancestorRefs);
  // A response has no properties that are `writeOnly`.
  if (resolved === undefined || resolved.writeOnly === true || budget.schemas < 0) return undefined;
  const hasParts = PARTS.some((key) => key in resolved);
  if (hasParts && levels === 0) return undefined;
  const copyPart = (part: unknown) => copySchema(document, part, levels - 1, references, budget);
  const copied = Object.entries(limitValues(resolved))
    .filter(([key]) => !OMITTED.test(key))
    .map(([key, value]) => [key, copyKeyword(key, value, copyPart)] as const)
    .filter(([, value]) => value !== undefined);
  const copy: JsonObject = Object.fromEntries(copied);
  // A schema whose parts were all omitted is omitted too.
  const isEmptied = hasParts && !PARTS.some((key) => key in copy);
  if (isEmptied && copy.example === undefined) return undefined;
  // An array without items is an empty one.
  if (copy.type === 'array' && copy.items === undefined) delete copy.minItems;
  if (isObject(resolved.properties) && Array.isArray(copy.required)) {
    const properties = Object(copy.properties);
    copy.required = copy.required.filter((name) => Object.hasOwn(properties, name));
  }
  // Prism uses the examples of a schema only if nothing else describes it.
  if (Array.isArray(copy.examples) && copy.examples.length > 0) copy.example ??= copy.examples[0];
  return copy;
}

/** @returns undefined if all schemas of the keyword are omitted, because generators fail on an empty one */
function copyKeyword(key: string, value: unknown, copyPart: (part: unknown) => unknown): unknown {
  if (SINGLES.includes(key)) return copyPart(value);
  if (MAPS.includes(key)) {
    const members = entriesOf(value).map(([name, part]) => [name, copyPart(part)] as const);
    const kept = members.filter(([, part]) => part !== undefined);
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  }
  if (!LISTS.includes(key) || !Array.isArray(value)) return value;
  const kept = value.map(copyPart).filter((part) => part !== undefined);
  return kept.length > 0 ? kept : undefined;
}

/** The largest sizes in an example, which multiply. Prism could take seconds for larger ones, or fill the memory. */
const MAX_SIZES = {
  minLength: 1_000,
  minItems: 20,
  maxItems: 20,
  minProperties: 20,
  maxProperties: 20,
} as const;

/** Formats for which Prism generates the smallest number that they can express, such as -9007199254740991. */
const NUMBER_FORMATS = ['int32', 'int64', 'float', 'double'];

function limitValues({ format, ...schema }: JsonObject): JsonObject {
  if (format !== undefined && !NUMBER_FORMATS.includes(String(format))) schema.format = format;
  for (const [keyword, max] of Object.entries(MAX_SIZES)) {
    const value = schema[keyword];
    if (typeof value === 'number') schema[keyword] = Math.min(value, max);
  }
  return schema;
}

/** Follows `$ref`, whose siblings also apply. The schema is undefined if it has been repeated too often. */
function resolve(
  document: JsonObject,
  schema: JsonObject,
  references: readonly string[],
): { readonly resolved?: JsonObject; readonly references: readonly string[] } {
  const { $ref, ...siblings } = schema;
  if (typeof $ref !== 'string') return { resolved: schema, references };
  if (references.filter((each) => each === $ref).length >= MAX_REPEATS) return { references };
  const referenced = lookUp(document, $ref);
  const merged = { ...(isObject(referenced) && referenced), ...siblings };
  return resolve(document, merged, [...references, $ref]);
}

function follow(document: JsonObject, value: unknown): JsonObject {
  return isObject(value) ? (resolve(document, value, []).resolved ?? {}) : {};
}

/** Follows a JSON Pointer (RFC 6901) in a URL fragment. */
function lookUp(document: JsonObject, reference: string): unknown {
  const [, ...keys] = (decodeText(reference) ?? reference).split('/');
  return keys.reduce<unknown>((node, text) => {
    const key = text.replaceAll('~1', '/').replaceAll('~0', '~');
    const isKnown = typeof node === 'object' && node !== null && Object.hasOwn(node, key);
    return isKnown ? (node as JsonObject)[key] : undefined;
  }, document);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}
