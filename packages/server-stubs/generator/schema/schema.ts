import { entriesOf, isObject, join, type Pointer } from '../old/document.ts';

export interface SchemaObject {
  [keyword: string]: unknown;
  $ref?: Pointer;
  type?: string | readonly string[];
}

export type Schema = boolean | SchemaObject;

/** Keywords that take one schema, a list of schemas, or schemas by name. */
const ONE = new Set(
  `items additionalProperties not if then else contains propertyNames unevaluatedItems
  unevaluatedProperties`.split(/\s+/),
);
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const BY_NAME = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/** Keywords that do not affect validation. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  `title description summary default deprecated readOnly writeOnly example examples externalDocs xml
  $comment $schema contentEncoding contentMediaType contentSchema discriminator nullable`.split(
    /\s+/,
  ),
);

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value);
}

export function mapSubschemas(
  schema: SchemaObject,
  pointer: Pointer,
  map: (subschema: Schema, pointer: Pointer) => Schema,
): SchemaObject {
  const copy: SchemaObject = { ...schema };
  for (const [key, value] of Object.entries(schema)) {
    const at = join(pointer, key);
    if (ONE.has(key) && isSchema(value)) {
      copy[key] = map(value, at);
    } else if (LIST.has(key) && Array.isArray(value)) {
      copy[key] = value.map((each, index) => (isSchema(each) ? map(each, join(at, index)) : each));
    } else if (BY_NAME.has(key)) {
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

export function typesOf(schema: SchemaObject): readonly string[] {
  if (schema.type === undefined) return [];
  return typeof schema.type === 'string' ? [schema.type] : schema.type;
}

export function membersOf(
  schema: SchemaObject,
  keyword: 'allOf' | 'anyOf' | 'oneOf' | 'prefixItems',
): Schema[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

/** Schemas in `allOf`, `anyOf` and `oneOf`. */
export function choicesOf(schema: SchemaObject): Schema[] {
  return (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) => membersOf(schema, keyword));
}

export function requiredOf(schema: SchemaObject): string[] {
  return Array.isArray(schema.required) ? schema.required : [];
}

export function propertiesOf(schema: SchemaObject): [string, Schema][] {
  return entriesOf(schema.properties).filter((entry): entry is [string, Schema] =>
    isSchema(entry[1]),
  );
}
