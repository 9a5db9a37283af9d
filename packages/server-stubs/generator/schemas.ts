import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  decodeReference,
  entriesOf,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  type Problems,
  toList,
  toNames,
  valueAt,
} from './document.ts';

export interface SchemaObject {
  [keyword: string]: unknown;
}

export type Schema = boolean | SchemaObject;

/** Requests ignore what is `readOnly`, and responses what is `writeOnly`. */
export type Direction = 'request' | 'response';

/** Keywords that take one schema, a list of schemas, or schemas by name. */
const ONE = new Set(
  `items additionalProperties not if then else contains propertyNames unevaluatedItems
  unevaluatedProperties`.split(/\s+/),
);
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const BY_NAME = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/** Keywords that take a value. All others are annotations, which have no effect, or unknown to Ajv. */
const VALUE = new Set(
  `type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required
  dependentRequired format`.split(/\s+/),
);

/** The direct subschemas of a schema. */
export function subschemasOf(schema: SchemaObject): unknown[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (ONE.has(key)) return [value];
    if (LIST.has(key)) return toList(value);
    return BY_NAME.has(key) ? entriesOf(value).map(([, each]) => each) : [];
  });
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value);
}

/** Schemas that apply to the same value, in `allOf`, `anyOf` or `oneOf`. */
export function membersOf(schema: SchemaObject, ...keywords: ('allOf' | 'anyOf' | 'oneOf')[]) {
  return keywords.flatMap((keyword) => toList(schema[keyword]).filter(isSchema));
}

export function propertiesOf(schema: SchemaObject): [string, Schema][] {
  return entriesOf(schema.properties).filter((entry): entry is [string, Schema] =>
    isSchema(entry[1]),
  );
}

/** Reads the schemas of a document, whose references loading has checked. */
export class SchemaReader {
  readonly document: JsonObject;
  #anchors: Map<string, Pointer> | undefined;

  constructor(document: JsonObject) {
    this.document = document;
  }

  toPointer(reference: string): Pointer {
    const target = decodeReference(reference);
    if (target === '#' || target.startsWith('#/')) return target;
    this.#anchors ??= findAnchors(this.document, '#', new Map());
    return this.#anchors.get(target) ?? target;
  }

  get(pointer: Pointer): Schema {
    const schema = valueAt(this.document, pointer);
    return isSchema(schema) ? schema : true;
  }

  /** Follows a `$ref`. What is next to it is lost. */
  resolve(schema: Schema): Schema {
    const seen = new Set<Schema>();
    let target = schema;
    while (isObject(target) && typeof target.$ref === 'string' && !seen.has(target)) {
      seen.add(target);
      target = this.get(this.toPointer(target.$ref));
    }
    return target;
  }

  /**
   * Returns a schema and all others that apply to the same value, through `$ref` and composition.
   *
   * @param keywords `allOf` alone for what is always true of the value
   */
  partsOf(
    schema: Schema,
    keywords: readonly ('allOf' | 'anyOf' | 'oneOf')[] = ['allOf', 'anyOf', 'oneOf'],
    seen: Set<Schema> = new Set(),
  ): SchemaObject[] {
    if (typeof schema === 'boolean' || seen.has(schema)) return [];
    seen.add(schema);
    const members = membersOf(schema, ...keywords);
    if (typeof schema.$ref === 'string') members.push(this.get(this.toPointer(schema.$ref)));
    return [schema, ...members.flatMap((member) => this.partsOf(member, keywords, seen))];
  }
}

function findAnchors(value: unknown, pointer: Pointer, anchors: Map<string, Pointer>) {
  if (typeof value !== 'object' || value === null) return anchors;
  const { $anchor } = value as JsonObject;
  if (typeof $anchor === 'string') anchors.set(`#${$anchor}`, pointer);
  for (const [name, each] of Object.entries(value)) findAnchors(each, join(pointer, name), anchors);
  return anchors;
}

/**
 * The schemas of one direction, as Ajv validates them: without annotations, which may look like schemas, and
 * with an ID for each target of a `$ref`, so that it is compiled once.
 */
export class SchemaSet {
  readonly schemas = new Map<string, { readonly schema: Schema; readonly pointer: Pointer }>();
  readonly #reader: SchemaReader;
  readonly #hidden: 'readOnly' | 'writeOnly';
  readonly #problems: Problems;
  readonly #ids = new Map<Pointer, string>();
  readonly #waiting: Pointer[] = [];

  constructor(reader: SchemaReader, direction: Direction, problems: Problems) {
    this.#reader = reader;
    this.#hidden = direction === 'request' ? 'readOnly' : 'writeOnly';
    this.#problems = problems;
  }

  /**
   * Adds a schema and all that it refers to.
   *
   * @returns its ID, which is the same for equal schemas, or `undefined` if every value is valid
   */
  add(schema: Schema, pointer: Pointer): string | undefined {
    const converted = this.#convert(schema, pointer);
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const id = this.#ids.get(next) as string;
      this.schemas.set(id, { schema: this.#convert(this.#reader.get(next), next), pointer: next });
      this.#checkLoop(next);
    }
    const text = JSON.stringify(converted);
    if (text === 'true' || text === '{}') return undefined;
    const { $ref, ...rest } = converted as SchemaObject;
    if (typeof $ref === 'string' && Object.keys(rest).length === 0) return $ref;
    const id = this.#ids.get(text) ?? this.#toId(text);
    this.schemas.set(id, { schema: converted, pointer });
    return id;
  }

  /** IDs, with those that a schema refers to first if possible: Ajv compiles a chain of references recursively. */
  get compileOrder(): string[] {
    return [...this.schemas.keys()].reverse();
  }

  /** An Ajv with all schemas, which compiles them when they are asked for. */
  createAjv(options: { source: boolean }): Ajv2020 {
    const all = [...this.schemas.values()];
    // Draft 2020-12, lenient about unknown formats, stopping at the first error.
    const ajv = new Ajv2020({
      strict: false,
      logger: false,
      validateSchema: false,
      discriminator: true,
      unicodeRegExp: false,
      // A multiple of 0.01 is rarely a multiple of its closest binary number. With 6, decimals of up to ten
      // digits are multiples, and what differs by more than a millionth of the step is none.
      multipleOfPrecision: 6,
      // Schemas with at most this many keywords are copied to each reference.
      inlineRefs: 8,
      ownProperties: all.some(({ schema }) => hasInheritedName(schema)),
      code: { source: options.source, esm: true, lines: true },
    });
    // Its bookkeeping in every function only serves two rare keywords.
    ajv.opts.unevaluated = JSON.stringify(all).includes('"unevaluated');
    ajv.opts.dynamicRef = false;
    addFormats.default(ajv);
    for (const [id, { schema }] of this.schemas) ajv.addSchema(schema, id);
    return ajv;
  }

  #toId(key: string): string {
    const id = `s${this.#ids.size}`;
    this.#ids.set(key, id);
    return id;
  }

  /** @param hidden names of properties that are not for this direction, from a schema around this one */
  #convert(schema: unknown, pointer: Pointer, hidden: ReadonlySet<string> = NONE): Schema {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) {
      this.#problems.error(pointer, 'Expected a schema, which must be an object, true or false.');
      return true;
    }
    // JSON Schema allows an empty list, and Ajv does not.
    if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
    const names = hasRequired(schema) ? new Set([...hidden, ...this.#hiddenOf(schema)]) : hidden;
    const converted: SchemaObject = {};
    for (const [key, value] of Object.entries(schema)) {
      const at = join(pointer, key);
      if (ONE.has(key)) {
        converted[key] = this.#convert(value, at);
      } else if (LIST.has(key)) {
        const below = key === 'prefixItems' ? NONE : names;
        converted[key] = toList(value).map((each, index) =>
          this.#convert(each, join(at, index), below),
        );
      } else if (BY_NAME.has(key)) {
        converted[key] = Object.fromEntries(
          entriesOf(value)
            .filter(([name]) => key !== 'patternProperties' || this.#isPattern(name, at))
            .map(([name, each]) => [name, this.#convert(each, join(at, name))]),
        );
      } else if (key === '$ref') {
        converted.$ref = this.#toTarget(this.#reader.toPointer(String(value)));
      } else if (key === '$dynamicRef') {
        this.#problems.warn(at, 'A $dynamicRef is not checked. Use $ref.');
      } else if (key === 'pattern') {
        if (this.#isPattern(String(value), at)) converted.pattern = value;
      } else if (VALUE.has(key) && !(key.startsWith('exclusive') && typeof value === 'boolean')) {
        // Loading warns of `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
        converted[key] = value;
      }
    }
    if (Array.isArray(converted.required)) {
      converted.required = converted.required.filter((name) => !names.has(name));
    }
    return this.#withDiscriminator(schema, converted);
  }

  #toTarget(pointer: Pointer): string {
    const known = this.#ids.get(pointer);
    if (known !== undefined) return known;
    this.#waiting.push(pointer);
    return this.#toId(pointer);
  }

  /** Includes those of `allOf` and `$ref`. */
  #hiddenOf(schema: SchemaObject): string[] {
    const isHidden = (property: Schema) =>
      this.#reader.partsOf(property, ['allOf']).some((part) => part[this.#hidden] === true);
    return this.#reader
      .partsOf(schema, ['allOf'])
      .flatMap(propertiesOf)
      .flatMap(([name, property]) => (isHidden(property) ? [name] : []));
  }

  #isPattern(pattern: string, pointer: Pointer): boolean {
    try {
      new RegExp(pattern);
      return true;
    } catch {
      this.#problems.warn(
        pointer,
        `${JSON.stringify(pattern)} is not a regular expression of JavaScript, so it is not checked. Change it.`,
      );
      return false;
    }
  }

  /**
   * A discriminator never changes what is valid. Ajv has one that only checks the schema of the tag, and says
   * more about what is wrong. It needs different constants as tags of objects, and ignores all other values.
   */
  #withDiscriminator(schema: SchemaObject, converted: SchemaObject): SchemaObject {
    const tag = isObject(schema.discriminator) ? schema.discriminator.propertyName : undefined;
    if (typeof tag !== 'string' || !Array.isArray(schema.oneOf)) return converted;
    const tags = schema.oneOf.map((member: Schema) => {
      const target = this.#reader.resolve(member);
      const hasSiblings = isObject(member) && '$ref' in member && Object.keys(member).length > 1;
      if (hasSiblings || !isObject(target) || target.type !== 'object') return undefined;
      const property = new Map(propertiesOf(target)).get(tag);
      if (!isObject(property) || property[this.#hidden] === true) return undefined;
      if (!toList(target.required).includes(tag)) return undefined;
      return 'const' in property ? [property.const] : property.enum;
    });
    const values = tags.flatMap((each) => (Array.isArray(each) ? each : [undefined]));
    // Ajv keeps the tags as the names of an object.
    const isTag = (value: unknown) => typeof value === 'string' && value !== '' && !(value in {});
    if (!values.every(isTag) || new Set(values).size < values.length) return converted;
    return { ...converted, type: 'object', discriminator: { propertyName: tag } };
  }

  /** A reference to itself without descending into the value: validation would never end. */
  #checkLoop(pointer: Pointer): void {
    const visited = new Set<Schema>();
    const target = this.#reader.get(pointer);
    const leadsBack = (schema: unknown): boolean => {
      if (!isObject(schema) || visited.has(schema)) return schema === target;
      visited.add(schema);
      const { $ref, not, if: condition, then, else: otherwise } = schema;
      const next = typeof $ref === 'string' ? this.#reader.get(this.#reader.toPointer($ref)) : true;
      const members = membersOf(schema, 'allOf', 'anyOf', 'oneOf');
      return [next, not, condition, then, otherwise, ...members].some(
        (each) => each === target || leadsBack(each),
      );
    };
    if (!isObject(target) || !leadsBack(target)) return;
    const message =
      'This schema refers to itself for the same value, so that checks would not end.';
    this.#problems.error(pointer, `${message} Remove the reference.`);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Finding hidden properties is expensive, and only matters for `required`. */
function hasRequired(schema: SchemaObject): boolean {
  if ('required' in schema) return true;
  return membersOf(schema, 'allOf', 'anyOf', 'oneOf').some(
    (each) => typeof each !== 'boolean' && hasRequired(each),
  );
}

/** In JavaScript, every object has a property `constructor`. */
function hasInheritedName(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const names = [...toList(schema.required), ...propertiesOf(schema).map(([name]) => name)];
  return names.some((name) => String(name) in {}) || subschemasOf(schema).some(hasInheritedName);
}

/** The name in a pointer to a component: `Pet`. */
export function toComponentName(pointer: Pointer): string | undefined {
  const [components, schemas, name, ...rest] = toNames(pointer);
  return components === 'components' && schemas === 'schemas' && rest.length === 0
    ? name
    : undefined;
}
