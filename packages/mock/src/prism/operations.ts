import { decodeText } from '@berth/server-stubs/contract';
import { isObject } from '../user-input.ts';

type JsonObject = Record<string, unknown>;

/** Where an operation is in its document. */
export interface OperationPlace {
  readonly path: string;
  /** In lowercase. */
  readonly method: string;
  readonly operation: JsonObject;
}

/** In lowercase, as in a document. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Returns the operations of an OpenAPI 3.1 document by `operationId`. */
export function listOperations(document: JsonObject): Map<string, OperationPlace> {
  const operations = new Map<string, OperationPlace>();
  for (const [path, item] of entriesOf(document.paths)) {
    for (const method of METHODS) {
      const operation = isObject(item) ? item[method] : undefined;
      if (!isObject(operation)) continue;
      operations.set(String(operation.operationId), { path, method, operation });
    }
  }
  return operations;
}

/**
 * Returns a document with a single operation and its responses, in which nothing refers to anything. Prism
 * needs no more, because the routers validate requests. Given a document with schemas that refer to each
 * other, Prism would follow every path between them.
 */
export function toResponsesDocument(
  document: JsonObject,
  { method, operation }: OperationPlace,
): JsonObject {
  const { operationId, deprecated, responses } = operation;
  const entries = entriesOf(responses).map(([status, response]) => [
    status,
    toResponse(document, follow(document, response)),
  ]);
  return {
    openapi: '3.1.0',
    info: { title: '', version: '' },
    paths: {
      '/': {
        [method]: { operationId, deprecated, responses: Object.fromEntries(entries) },
      },
    },
  };
}

function toResponse(document: JsonObject, response: JsonObject): JsonObject {
  const toMedia = ([name, media]: [string, unknown]) => [
    name,
    toSample(document, follow(document, media)),
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

/** Returns the parts of a media type or header that a sample value is made of. */
function toSample(document: JsonObject, { schema, example, examples }: JsonObject): JsonObject {
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

/** How many levels an example has at most: Prism makes no more than 15 itself. */
const MAX_LEVELS = 16;

/** How many objects, arrays and choices an example is made of, and how many schemas in all. Prism takes up to 2,500. */
const MAX_PARENTS = 500;
const MAX_SCHEMAS = 2000;

/** How often a schema may contain itself. */
const MAX_REPEATS = 2;

/**
 * Keywords that a sample is made of, by the form of the schemas in them. All others with schemas are left out, and so are
 * extensions, in which Prism would follow references.
 */
const MAPS = ['properties', 'patternProperties'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLES = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else'];
const PARTS = [...MAPS, ...LISTS, ...SINGLES];
const OMITTED =
  /^(\$.*|x-(?!faker$).*|definitions|dependentSchemas|propertyNames|unevaluated(Items|Properties))$/;

interface SchemaPlace {
  readonly schema: unknown;
  /** Where its copy is put. */
  readonly parent: object;
  readonly name: PropertyKey;
  readonly level: number;
  /** How often the arrays and objects around it repeat it. */
  readonly repeats: number;
  /** The references that led here. */
  readonly references: readonly string[];
}

/**
 * Copies a schema and replaces each `$ref` with its target, up to the limits above. What is beyond them is left out: a
 * property, a choice, the items of an array. Level by level, so that the limits cut what is far away.
 */
function expandSchema(document: JsonObject, schema: unknown): unknown {
  const root: { schema?: unknown } = {};
  const queue: SchemaPlace[] = [
    { schema, parent: root, name: 'schema', level: 0, repeats: 1, references: [] },
  ];
  const copied: (SchemaPlace & { readonly copy: JsonObject })[] = [];
  let parents = 0;
  for (const place of queue) {
    const { parent, name } = place;
    if (!isObject(place.schema)) {
      define(parent, name, place.schema);
      continue;
    }
    const { references, target: found } = resolve(document, place.schema, place.references);
    if (found === undefined || found.writeOnly === true || copied.length >= MAX_SCHEMAS) continue;
    const target = limitValues(found, place.repeats);
    if (PARTS.some((key) => key in target)) {
      if (place.level >= MAX_LEVELS || parents >= MAX_PARENTS) continue;
      parents += 1;
    }
    const copy: JsonObject = {};
    copied.push({ ...place, copy });
    define(parent, name, copy);
    const inner = {
      level: place.level + 1,
      repeats: place.repeats * countRepeats(target),
      references,
    };
    for (const [key, value] of Object.entries(target)) {
      if (OMITTED.test(key)) continue;
      if (SINGLES.includes(key)) {
        queue.push({ schema: value, parent: copy, name: key, ...inner });
      } else if (MAPS.includes(key)) {
        const members: JsonObject = {};
        copy[key] = members;
        for (const [name, member] of entriesOf(value)) {
          queue.push({ schema: member, parent: members, name, ...inner });
        }
      } else if (LISTS.includes(key) && Array.isArray(value)) {
        const members: unknown[] = [];
        copy[key] = members;
        for (const [index, member] of value.entries()) {
          queue.push({ schema: member, parent: members, name: index, ...inner });
        }
      } else copy[key] = value;
    }
    // Prism uses the examples of a schema only if nothing else describes it.
    if (Array.isArray(copy.examples) && copy.examples.length > 0) copy.example ??= copy.examples[0];
  }
  // The innermost first. What has lost all of its parts has nothing to say either.
  for (const { copy, parent, name } of copied.toReversed()) {
    if (hasLostParts(copy)) Reflect.deleteProperty(parent, name);
  }
  return root.schema ?? {};
}

/** The largest sizes in a sample. Prism would generate larger ones for seconds, or until the memory is full. */
const MAX_SIZES = {
  minLength: 10_000,
  minItems: 100,
  maxItems: 100,
  minProperties: 100,
  maxProperties: 100,
} as const;

/** Formats for which Prism generates the smallest number that they can express, such as -9007199254740991. */
const NUMBER_FORMATS = ['int32', 'int64', 'float', 'double'];

/**
 * Returns a schema whose samples are small.
 *
 * @param repeats how often the arrays and objects around the schema repeat it
 */
function limitValues({ format, ...schema }: JsonObject, repeats: number): JsonObject {
  if (format !== undefined && !NUMBER_FORMATS.includes(String(format))) schema.format = format;
  for (const [keyword, max] of Object.entries(MAX_SIZES)) {
    const value = schema[keyword];
    const limit = Math.max(1, Math.floor(max / repeats));
    if (typeof value === 'number') schema[keyword] = Math.min(value, limit);
  }
  return schema;
}

/** Returns how often a schema repeats those of its items and properties. */
function countRepeats({ minItems, maxItems, minProperties }: JsonObject): number {
  const counts = [minItems, maxItems, minProperties].filter((count) => typeof count === 'number');
  return Math.max(1, ...counts);
}

/**
 * Removes what is empty because its schemas were left out, on which generators fail. Returns whether nothing is left of
 * an object or a choice. An array without items is an empty one.
 */
function hasLostParts(copy: JsonObject): boolean {
  const { properties, required } = copy;
  if (isObject(properties) && Array.isArray(required)) {
    copy.required = required.filter((name) => Object.hasOwn(properties, name));
  }
  if (copy.type === 'array' && copy.items === undefined) delete copy.minItems;
  // Members that were left out are holes.
  for (const key of LISTS) if (Array.isArray(copy[key])) copy[key] = copy[key].flat(0);
  const before = PARTS.filter((key) => key in copy);
  for (const key of before) {
    if (!SINGLES.includes(key) && Object.keys(copy[key] as object).length === 0) delete copy[key];
  }
  return before.length > 0 && !PARTS.some((key) => key in copy) && copy.example === undefined;
}

/** Follows `$ref`, whose siblings also apply. The target is undefined if it has been repeated too often. */
function resolve(
  document: JsonObject,
  schema: JsonObject,
  references: readonly string[],
): { readonly target?: JsonObject; readonly references: readonly string[] } {
  const { $ref, ...siblings } = schema;
  if (typeof $ref !== 'string') return { target: schema, references };
  if (references.filter((each) => each === $ref).length >= MAX_REPEATS) return { references };
  const target = lookUp(document, $ref);
  const merged = { ...(isObject(target) && target), ...siblings };
  return resolve(document, merged, [...references, $ref]);
}

function follow(document: JsonObject, value: unknown, depth = 0): JsonObject {
  if (!isObject(value)) return {};
  if (typeof value.$ref !== 'string' || depth > MAX_LEVELS) return value;
  return follow(document, lookUp(document, value.$ref), depth + 1);
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

/** Sets a property whose name may be `__proto__`. */
function define(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}
