import {
  decodeReference,
  entriesOf,
  follow,
  isObject,
  type JsonObject,
  type Located,
  type Pointer,
  toList,
  valueAt,
} from './document.ts';

export type Schema = boolean | JsonObject;

/** Requests ignore what is `readOnly`, and responses what is `writeOnly`. */
export type Direction = 'request' | 'response';

export type Mark = 'readOnly' | 'writeOnly';

/** Keywords that take one schema, a list of schemas, or schemas by name. */
export const ONE =
  /^(?:items|additionalProperties|not|if|then|else|contains|propertyNames|unevaluatedItems|unevaluatedProperties)$/;
export const LIST = /^(?:allOf|anyOf|oneOf|prefixItems)$/;
export const BY_NAME = /^(?:properties|patternProperties|dependentSchemas)$/;

/** The direct subschemas of a schema. */
export function subschemasOf(schema: JsonObject): unknown[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (ONE.test(key)) return [value];
    if (LIST.test(key)) return toList(value);
    return BY_NAME.test(key) ? entriesOf(value).map(([, each]) => each) : [];
  });
}

/** Keywords whose schemas apply to the same value. Only those of `allOf` are always true of it. */
export const COMPOSITIONS = ['allOf', 'anyOf', 'oneOf'] as const;
const APPLICATORS = [...COMPOSITIONS, 'not', 'if', 'then', 'else'] as const;
type Applicator = (typeof APPLICATORS)[number];

export function propertiesOf(schema: JsonObject): [string, Schema][] {
  return entriesOf(schema.properties).filter((entry): entry is [string, Schema] =>
    isSchema(entry[1]),
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value);
}

/** Reads the schemas of a document, whose references loading has checked. */
export class SchemaReader {
  readonly document: JsonObject;

  constructor(document: JsonObject) {
    this.document = document;
  }

  /** Follows the references of an OpenAPI object. */
  locate(value: unknown, pointer: Pointer): Located {
    return follow(this.document, value, pointer);
  }

  get(pointer: Pointer): Schema {
    const schema = valueAt(this.document, pointer);
    return isSchema(schema) ? schema : true;
  }

  /** The target of a `$ref`. */
  follow(reference: unknown): Schema {
    return typeof reference === 'string' ? this.get(decodeReference(reference)) : true;
  }

  /** Returns a schema and all others that apply to the same value, through `$ref` and composition. */
  partsOf(
    schema: unknown,
    keywords: readonly Applicator[] = COMPOSITIONS,
    seen: Set<unknown> = new Set(),
  ): JsonObject[] {
    if (!isObject(schema) || seen.has(schema)) return [];
    seen.add(schema);
    const members = this.#membersOf(schema, keywords);
    return [schema, ...members.flatMap((member) => this.partsOf(member, keywords, seen))];
  }

  /** A mark counts where the property is, but may be behind its `$ref` or in its `allOf`. */
  isMarked(property: Schema, mark: Mark): boolean {
    return this.partsOf(property, ['allOf']).some((part) => part[mark] === true);
  }

  /** Returns whether a schema refers to itself for the same value: validation would never end. */
  isEndless(schema: unknown): boolean {
    const parts = this.partsOf(schema, APPLICATORS);
    return parts.some((part) => this.#membersOf(part, APPLICATORS).includes(schema));
  }

  #membersOf(schema: JsonObject, keywords: readonly Applicator[]): unknown[] {
    return [...keywords.flatMap((keyword) => schema[keyword]), this.follow(schema.$ref)];
  }
}
