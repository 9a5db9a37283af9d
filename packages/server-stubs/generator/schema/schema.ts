import { entriesOf, isObject, join, type Pointer } from '../document.ts';

/** A JSON Schema (draft 2020-12) that is an object. */
export interface SchemaObject {
  [keyword: string]: unknown;
  $ref?: Pointer;
  type?: string | readonly string[];
}

export type Schema = boolean | SchemaObject;

/** Keywords that take one schema, a list of schemas, or schemas by name. */
const ONE = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const;
const LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas'] as const;

/** Keywords that do not affect validation. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'summary',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'example',
  'examples',
  'externalDocs',
  'xml',
  '$comment',
  '$schema',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'discriminator',
  'nullable',
]);

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value);
}

/** Copies a schema, replacing each direct subschema. */
export function mapSubschemas(
  schema: SchemaObject,
  pointer: Pointer,
  map: (subschema: Schema, pointer: Pointer) => Schema,
): SchemaObject {
  const copy: SchemaObject = { ...schema };
  for (const [key, value] of Object.entries(schema)) {
    const at = join(pointer, key);
    if (isIn(ONE, key) && isSchema(value)) {
      copy[key] = map(value, at);
    } else if (isIn(LIST, key) && Array.isArray(value)) {
      copy[key] = value.map((each, index) => (isSchema(each) ? map(each, join(at, index)) : each));
    } else if (isIn(BY_NAME, key)) {
      copy[key] = Object.fromEntries(
        entriesOf(value).map(([name, each]) => [
          name,
          isSchema(each) ? map(each, join(at, name)) : each,
        ]),
      );
    }
  }
  return copy;
}

/** Calls a function for each direct subschema. */
export function visitSubschemas(
  schema: SchemaObject,
  pointer: Pointer,
  visit: (subschema: Schema, pointer: Pointer) => void,
): void {
  mapSubschemas(schema, pointer, (subschema, at) => {
    visit(subschema, at);
    return subschema;
  });
}

/** Returns the types in the `type` keyword of a schema. */
export function typesOf(schema: SchemaObject): readonly string[] {
  if (schema.type === undefined) return [];
  return typeof schema.type === 'string' ? [schema.type] : schema.type;
}

/** Returns the schemas in `allOf`, `anyOf` or `oneOf`. */
export function membersOf(schema: SchemaObject, keyword: (typeof LIST)[number]): Schema[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

export function requiredOf(schema: SchemaObject): string[] {
  return Array.isArray(schema.required) ? schema.required : [];
}

/** Returns the properties by name, in document order. */
export function propertiesOf(schema: SchemaObject): [string, Schema][] {
  return entriesOf(schema.properties).filter((entry): entry is [string, Schema] =>
    isSchema(entry[1]),
  );
}

function isIn<T extends string>(list: readonly T[], key: string): key is T {
  return (list as readonly string[]).includes(key);
}
