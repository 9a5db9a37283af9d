import {
  entriesOf,
  isAmbiguous,
  isObject,
  join,
  type Pointer,
  type Problems,
  toTarget,
} from '../document.ts';
import {
  ANNOTATIONS,
  isSchema,
  mapSubschemas,
  type Schema,
  type SchemaObject,
  typesOf,
} from './schema.ts';

/** Keywords that give a schema a second address, which `toTarget` has resolved. */
const ADDRESSES = ['$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$schema'];

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

/** What cannot be generated is removed with a warning, so that it is not checked. */
export function normalise(value: unknown, pointer: Pointer, context: SchemaContext): Schema {
  const { document, problems } = context;
  if (!isSchema(value)) {
    problems.warn(
      pointer,
      'Expected a schema, which must be an object, true or false. Every value is valid.',
    );
    return true;
  }
  if (typeof value === 'boolean') return value;
  const schema = upgrade(value, context.is30);
  if (schema.$schema !== undefined && !isKnownDialect(schema.$schema)) {
    problems.warn(
      join(pointer, '$schema'),
      `The dialect ${JSON.stringify(schema.$schema)} is not supported: the schema is read as draft 2020-12.`,
    );
  }
  for (const keyword of ADDRESSES) delete schema[keyword];
  toStatic(schema, pointer, context);
  if (schema.$ref !== undefined) {
    const target = problems.attempt('Every value is valid.', () =>
      toTarget(document, schema.$ref, pointer),
    );
    if (target === undefined) return true;
    schema.$ref = target;
  }
  if (isObject(schema.discriminator) && !('oneOf' in schema || 'anyOf' in schema)) {
    problems.note(
      join(pointer, 'discriminator'),
      'A discriminator without oneOf or anyOf next to it selects no schema: values are validated against this one.',
    );
  }
  checkTypes(schema, pointer, problems);
  checkPatterns(schema, pointer, problems);
  return mapSubschemas(schema, pointer, (subschema, at) => normalise(subschema, at, context));
}

/** A `$dynamicRef` is a `$ref` if the document has one anchor of its name. */
function toStatic(schema: SchemaObject, pointer: Pointer, { document, problems }: SchemaContext) {
  for (const keyword of ['$dynamicRef', '$recursiveRef']) {
    const ref = schema[keyword];
    if (typeof ref !== 'string') continue;
    delete schema[keyword];
    if (schema.$ref === undefined && !isAmbiguous(document, ref)) schema.$ref = ref;
    else {
      problems.warn(
        join(pointer, keyword),
        `${ref} may refer to several schemas, so it is not checked. Use $ref.`,
      );
    }
  }
}

export function isKnownDialect(dialect: unknown): boolean {
  return typeof dialect === 'string' && DIALECT.test(dialect);
}

function checkTypes(schema: SchemaObject, pointer: Pointer, problems: Problems): void {
  const types = typesOf(schema);
  const unknown = types.filter((type) => !TYPES.includes(type));
  if (unknown.length > 0) {
    problems.warn(
      join(pointer, 'type'),
      `${JSON.stringify(unknown[0])} is not a type of JSON Schema: the type is not checked. Use one of ${TYPES.join(', ')}.`,
    );
    delete schema.type;
  }
  if (Array.isArray(schema.enum) && schema.enum.length === 0) {
    problems.warn(join(pointer, 'enum'), 'This enum is empty, so it is not checked.');
    delete schema.enum;
  }
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

/**
 * `nullable` adds `null` to `type`, and not to `enum` (OpenAPI 3.0.3, as Ajv reads it). OpenAPI 3.1 dropped
 * it and boolean exclusive limits, but documents still use them.
 */
function upgrade(schema: SchemaObject, is30: boolean): SchemaObject {
  if (is30 && schema.$ref !== undefined) return { $ref: schema.$ref };
  const { nullable, ...upgraded } = schema;
  toExclusive(upgraded, 'minimum', 'exclusiveMinimum');
  toExclusive(upgraded, 'maximum', 'exclusiveMaximum');
  return nullable === true && schema.$ref === undefined ? toNullable(upgraded) : upgraded;
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
