import { entriesOf, isObject, join, type Pointer, type Problems, toTarget } from '../document.ts';
import { isSchema, mapSubschemas, type Schema, type SchemaObject, typesOf } from './schema.ts';

/**
 * Characters that may be escaped with the `u` flag: SyntaxCharacter in ECMA-262, `/` and the escape
 * letters.
 */
const NEEDED = /[\^$\\.*+?()[\]{}|/dDsSwWbBfnrtvcxukpP0-9]/;

/** An escape, a quantifier in braces, or a character that is literal only without the `u` flag. */
const TOKEN = /\\[\s\S]|\{\d+(?:,\d*)?\}|[[\]{}]/g;

/** JSON Schema keywords that give a schema a second address. OpenAPI documents do not need them. */
const ADDRESSES = ['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef'];

/** JSON Schema 2020-12, and its dialects in OpenAPI 3.1 and 3.2. */
const DIALECT =
  /^https:\/\/(?:json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.[12]\/(?:dialect|schema-base)\/.*)#?$/;
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

export interface SchemaContext {
  readonly document: unknown;
  /** Whether the document is OpenAPI 3.0, which uses an older schema dialect. */
  readonly is30: boolean;
  readonly problems: Problems;
}

/**
 * Converts a schema to JSON Schema 2020-12, with `$ref`s as plain pointers. Refuses schemas that cannot
 * be generated.
 */
export function normalise(value: unknown, pointer: Pointer, context: SchemaContext): Schema {
  const { problems } = context;
  if (!isSchema(value)) {
    problems.refuse(pointer, 'Expected a schema: an object, true or false.');
    return true;
  }
  if (typeof value === 'boolean') return value;
  const schema: SchemaObject = context.is30 ? upgrade(value) : withoutNullable(value);
  for (const keyword of ADDRESSES.filter((each) => each in schema)) {
    problems.refuse(
      join(pointer, keyword),
      `${keyword} is not supported. Refer to schemas by their location: $ref: '#/components/schemas/…'.`,
    );
    delete schema[keyword];
  }
  if (schema.$schema !== undefined && !isKnownDialect(schema.$schema)) {
    problems.refuse(
      join(pointer, '$schema'),
      `The dialect ${JSON.stringify(schema.$schema)} is not supported. Use JSON Schema draft 2020-12.`,
    );
  }
  delete schema.$schema;
  if (schema.$ref !== undefined) {
    const target = toTarget(context.document, schema.$ref, pointer, problems);
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

export function isKnownDialect(dialect: unknown): boolean {
  return typeof dialect === 'string' && DIALECT.test(dialect);
}

function checkTypes(schema: SchemaObject, pointer: Pointer, problems: Problems): void {
  for (const type of typesOf(schema)) {
    if (TYPES.includes(type)) continue;
    problems.refuse(
      join(pointer, 'type'),
      `${JSON.stringify(type)} is not a JSON Schema type. Use one of ${TYPES.join(', ')}.`,
    );
    delete schema.type;
    return;
  }
}

function checkPatterns(schema: SchemaObject, pointer: Pointer, problems: Problems): void {
  const toPattern = (pattern: string, at: Pointer): string => {
    const unicode = toUnicodePattern(pattern);
    if (unicode !== undefined) return unicode;
    problems.refuse(
      at,
      `${JSON.stringify(pattern)} is not a valid ECMA-262 regular expression with the u flag. Correct it.`,
    );
    return '';
  };
  const { pattern, patternProperties } = schema;
  if (typeof pattern === 'string') schema.pattern = toPattern(pattern, join(pointer, 'pattern'));
  if (isObject(patternProperties)) {
    const at = join(pointer, 'patternProperties');
    schema.patternProperties = Object.fromEntries(
      entriesOf(patternProperties).map(([key, each]) => [toPattern(key, join(at, key)), each]),
    );
  }
}

/**
 * Converts a pattern so that it compiles with the `u` flag, which Ajv and the generated validators set.
 * Many documents escape characters that need no escape (`\-`, `\_`, `\@`), or do not escape braces.
 *
 * @returns `undefined` if the pattern is not a valid regular expression
 *
 * @example
 * toUnicodePattern(String.raw`^a\-b$`); // '^a-b$'
 */
export function toUnicodePattern(pattern: string): string | undefined {
  if (compiles(pattern, 'u')) return pattern;
  if (!compiles(pattern, '')) return undefined;
  const strict = toStrict(pattern);
  return compiles(strict, 'u') ? strict : undefined;
}

function toStrict(pattern: string): string {
  let inClass = false;
  return pattern.replace(TOKEN, (token) => {
    const wasInClass = inClass;
    if (token === '[') inClass = true;
    if (token === ']') inClass = false;
    if (token.startsWith('\\')) {
      const character = token.slice(1);
      return NEEDED.test(character) || (inClass && character === '-') ? token : character;
    }
    const isBare = token === '{' || token === '}' || token === ']';
    return isBare && !wasInClass ? `\\${token}` : token;
  });
}

function compiles(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

/**
 * Converts one OpenAPI 3.0 schema object to JSON Schema 2020-12, which OpenAPI 3.1 uses. Does not
 * convert subschemas.
 *
 * - `nullable` adds `null` to `type`, but not to `enum` (as Ajv reads OpenAPI 3.0.3). Without `type`, it
 *   means null or the schema.
 * - Boolean `exclusiveMinimum` and `exclusiveMaximum` become numbers.
 * - `format: binary` becomes `contentMediaType: application/octet-stream`.
 * - `example` becomes `examples`; keywords next to a `$ref` are dropped, as in 3.0.
 *
 * @example
 * upgrade({ type: 'string', nullable: true }); // { type: ['string', 'null'] }
 */
export function upgrade(schema: SchemaObject): SchemaObject {
  if (schema.$ref !== undefined) return { $ref: schema.$ref };
  const { example, ...upgraded }: SchemaObject = schema;
  toExclusive(upgraded, 'minimum', 'exclusiveMinimum');
  toExclusive(upgraded, 'maximum', 'exclusiveMaximum');
  if (upgraded.format === 'binary') {
    delete upgraded.format;
    upgraded.contentMediaType = 'application/octet-stream';
  }
  if (example !== undefined) upgraded.examples = [example];
  return withoutNullable(upgraded);
}

/** Converts `nullable` to JSON Schema. OpenAPI 3.1 dropped the keyword, but documents still use it. */
export function withoutNullable({ nullable, ...schema }: SchemaObject): SchemaObject {
  return nullable === true && schema.$ref === undefined ? toNullable(schema) : schema;
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
  if (typeof schema.type === 'string') {
    return { ...schema, type: [schema.type, 'null'] };
  }
  const restricts = ['allOf', 'anyOf', 'oneOf', 'enum', 'not', 'properties', 'items'];
  if (!restricts.some((keyword) => keyword in schema)) return schema;
  const { description, default: initial, ...rest } = schema;
  return {
    ...(description === undefined ? {} : { description }),
    ...(initial === undefined ? {} : { default: initial }),
    anyOf: [rest, { type: 'null' }],
  };
}
