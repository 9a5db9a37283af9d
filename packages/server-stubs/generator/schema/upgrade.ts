import type { SchemaObject } from './schema.ts';

/**
 * One OpenAPI 3.0 schema object as JSON Schema 2020-12, which OpenAPI 3.1 uses; its subschemas are
 * left as they are.
 *
 * - `nullable` adds `null` to `type`, and not to `enum` (OpenAPI 3.0.3, as Ajv reads it); without `type`
 *   it is read as everybody means it: null or the schema.
 * - Boolean `exclusiveMinimum` and `exclusiveMaximum` become numbers.
 * - `format: binary` becomes `contentMediaType: application/octet-stream`.
 * - `example` becomes `examples`; what stands beside a `$ref` is dropped, as 3.0 says.
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

/** `nullable` as JSON Schema says it; 3.1 dropped the keyword, and documents still have it. */
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
