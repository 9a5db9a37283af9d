import { entriesOf, isObject } from '../document/json.ts';
import { join, type Pointer } from '../document/pointer.ts';
import type { Problems } from '../document/problems.ts';
import { toTarget } from '../document/references.ts';
import { toUnicodePattern } from './pattern.ts';
import { isSchema, mapSubschemas, type Schema, type SchemaObject, typesOf } from './schema.ts';
import { upgrade, withoutNullable } from './upgrade.ts';

/** What a schema is read with. */
export interface SchemaContext {
  readonly document: unknown;
  /** The document is OpenAPI 3.0, whose schemas are of an older kind. */
  readonly is30: boolean;
  readonly problems: Problems;
}

/** JSON Schema features that give a schema a second address, which OpenAPI documents do without. */
const ADDRESSES = ['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef'];
/** JSON Schema 2020-12, and what OpenAPI 3.1 and 3.2 make of it. */
const DIALECT =
  /^https:\/\/(?:json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.[12]\/(?:dialect|schema-base)\/.*)#?$/;
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/**
 * A schema of the document as JSON Schema 2020-12, all the way down to its `$ref`s, whose targets
 * are written as plain pointers. What cannot be generated is refused.
 */
export function normalise(value: unknown, pointer: Pointer, context: SchemaContext): Schema {
  const { problems } = context;
  if (!isSchema(value)) {
    problems.refuse(pointer, 'A schema is expected here: an object, true or false.');
    return true;
  }
  if (typeof value === 'boolean') return value;
  const schema: SchemaObject = context.is30 ? upgrade(value) : withoutNullable(value);
  for (const keyword of ADDRESSES.filter((each) => each in schema)) {
    problems.refuse(
      join(pointer, keyword),
      `${keyword} is not supported. Refer to schemas by their place: $ref: '#/components/schemas/…'.`,
    );
    delete schema[keyword];
  }
  if (schema.$schema !== undefined && !isKnownDialect(schema.$schema)) {
    problems.refuse(
      join(pointer, '$schema'),
      `The dialect ${JSON.stringify(schema.$schema)} is not supported. Write the schema in draft 2020-12.`,
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
      'A discriminator without oneOf or anyOf beside it chooses no schema: values are held to this one.',
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
      `${JSON.stringify(type)} is no type of JSON Schema. Use one of ${TYPES.join(', ')}.`,
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
      `${JSON.stringify(pattern)} is no regular expression of ECMA-262 with the u flag. Correct it.`,
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
