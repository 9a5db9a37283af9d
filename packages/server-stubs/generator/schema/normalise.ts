import {
  entriesOf,
  isObject,
  join,
  type Pointer,
  type Problems,
  toTarget,
} from '../old/document.ts';
import {
  ANNOTATIONS,
  isSchema,
  mapSubschemas,
  type Schema,
  type SchemaObject,
  typesOf,
} from './schema.ts';

/** Keywords that give a schema a second address, which `toTarget` has resolved. */
const ADDRESSES = ['$id', '$anchor', '$dynamicAnchor', '$schema'];

/** JSON Schema 2020-12, and its dialect in OpenAPI 3.1. */
const DIALECT =
  /^https:\/\/(?:json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.1\/(?:dialect|schema-base)\/.*)#?$/;
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

export interface SchemaContext {
  readonly document: unknown;
  /** Whether the document is OpenAPI 3.0, which uses an older schema dialect. */
  readonly is30: boolean;
  readonly problems: Problems;
}

/** What cannot be checked is removed, with a warning. */
export function normalise(value: unknown, pointer: Pointer, context: SchemaContext): Schema {
  const { document, problems } = context;
  if (!isSchema(value)) {
    problems.error(pointer, 'Expected a schema, which must be an object, true or false.');
    return true;
  }
  if (typeof value === 'boolean') return value;
  const schema = context.is30 ? upgrade(value) : { ...value };
  if (schema.$schema !== undefined && !isKnownDialect(schema.$schema)) {
    problems.warn(
      join(pointer, '$schema'),
      `The dialect ${JSON.stringify(schema.$schema)} is not supported: the schema is read as draft 2020-12.`,
    );
  }
  for (const keyword of ADDRESSES) delete schema[keyword];
  if ('$dynamicRef' in schema) {
    problems.warn(join(pointer, '$dynamicRef'), 'A $dynamicRef is not checked. Use $ref.');
    delete schema.$dynamicRef;
  }
  if (schema.$ref !== undefined) {
    const target = problems.attempt(() => toTarget(document, schema.$ref, pointer));
    if (target === undefined) return true;
    schema.$ref = target;
  }
  checkTypes(schema, pointer, problems);
  checkPatterns(schema, pointer, problems);
  return mapSubschemas(schema, pointer, (subschema, at) => normalise(subschema, at, context));
}

export function isKnownDialect(dialect: unknown): boolean {
  return typeof dialect === 'string' && DIALECT.test(dialect);
}

function checkTypes(schema: SchemaObject, pointer: Pointer, problems: Problems): void {
  const unknown = typesOf(schema).find((type) => !TYPES.includes(type));
  if (unknown === undefined) return;
  problems.error(
    join(pointer, 'type'),
    `${JSON.stringify(unknown)} is not a type of JSON Schema. Use one of ${TYPES.join(', ')}.`,
  );
  delete schema.type;
}

/** Removes what is not a regular expression of JavaScript. */
function checkPatterns(schema: SchemaObject, pointer: Pointer, problems: Problems): void {
  const { pattern, patternProperties } = schema;
  if (typeof pattern === 'string' && !isPattern(pattern, join(pointer, 'pattern'), problems)) {
    delete schema.pattern;
  }
  if (isObject(patternProperties)) {
    const at = join(pointer, 'patternProperties');
    const known = entriesOf(patternProperties).filter(([key]) =>
      isPattern(key, join(at, key), problems),
    );
    schema.patternProperties = Object.fromEntries(known);
  }
}

/** Without the `u` flag, in which many patterns do not compile, and which these escapes need. */
const NEEDS_UNICODE = /\\(?:[pP]|u)\{/;

function isPattern(pattern: string, pointer: Pointer, problems: Problems): boolean {
  const text = JSON.stringify(pattern);
  if (NEEDS_UNICODE.test(pattern)) {
    problems.warn(pointer, `${text} needs the u flag: it is not checked.`);
    return false;
  }
  try {
    new RegExp(pattern);
    return true;
  } catch {
    problems.warn(pointer, `${text} is not a regular expression of JavaScript: it is not checked.`);
    return false;
  }
}

/** `nullable` adds `null` to `type`, and not to `enum` (OpenAPI 3.0.3, as Ajv reads it). */
function upgrade(schema: SchemaObject): SchemaObject {
  if (schema.$ref !== undefined) return { $ref: schema.$ref };
  const { nullable, ...upgraded } = schema;
  toExclusive(upgraded, 'minimum', 'exclusiveMinimum');
  toExclusive(upgraded, 'maximum', 'exclusiveMaximum');
  return nullable === true ? toNullable(upgraded) : upgraded;
}

function toExclusive(schema: SchemaObject, inclusive: string, exclusive: string): void {
  const flag = schema[exclusive];
  if (typeof flag !== 'boolean') return;
  delete schema[exclusive];
  if (!flag || schema[inclusive] === undefined) return;
  schema[exclusive] = schema[inclusive];
  delete schema[inclusive];
}

function toNullable(schema: SchemaObject): SchemaObject {
  const types = typesOf(schema);
  if (types.length > 0) return { ...schema, type: [...new Set([...types, 'null'])] };
  const notes = Object.entries(schema).filter(([key]) => isAnnotation(key));
  const rest = Object.entries(schema).filter(([key]) => !isAnnotation(key));
  if (rest.length === 0) return schema;
  return { ...Object.fromEntries(notes), anyOf: [Object.fromEntries(rest), { type: 'null' }] };
}

function isAnnotation(key: string): boolean {
  return key !== 'discriminator' && (ANNOTATIONS.has(key) || key.startsWith('x-'));
}
