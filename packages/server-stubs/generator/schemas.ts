import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { toNames } from '../src/runtime/faults.ts';
import {
  decodeReference,
  entriesOf,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  type Problems,
  toList,
  valueAt,
} from './document.ts';
import { Names, toTypeName } from './names.ts';

export type Schema = boolean | JsonObject;

/** Requests ignore what is `readOnly`, and responses what is `writeOnly`. */
export type Direction = 'request' | 'response';

type Mark = 'readOnly' | 'writeOnly';

/** Keywords that take one schema, a list of schemas, or schemas by name. */
const ONE =
  /^(?:items|additionalProperties|not|if|then|else|contains|propertyNames|unevaluatedItems|unevaluatedProperties)$/;
const LIST = /^(?:allOf|anyOf|oneOf|prefixItems)$/;
const BY_NAME = /^(?:properties|patternProperties|dependentSchemas)$/;

/** Keywords that take a value. All others are annotations, which have no effect, or unknown to Ajv. */
const VALUE = new Set(
  `type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required
  dependentRequired format`.split(/\s+/),
);

/** The direct subschemas of a schema. */
export function subschemasOf(schema: JsonObject): unknown[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (ONE.test(key)) return [value];
    if (LIST.test(key)) return toList(value);
    return BY_NAME.test(key) ? entriesOf(value).map(([, each]) => each) : [];
  });
}

/** Keywords whose schemas apply to the same value. Only those of `allOf` are always true of it. */
const COMPOSITIONS = ['allOf', 'anyOf', 'oneOf'] as const;
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

/**
 * The schemas of one direction, as Ajv validates them: without annotations, which may look like schemas, and
 * with an ID for each target of a `$ref`, so that it is compiled once.
 */
export class SchemaSet {
  /** By ID. */
  readonly schemas = new Map<string, { readonly schema: Schema; readonly pointer: Pointer }>();
  readonly #reader: SchemaReader;
  readonly #hidden: Mark;
  readonly #problems: Problems;
  readonly #names = new Names();
  /** By the pointer of a target, or the text of any other schema. */
  readonly #ids = new Map<string, string>();
  /** Targets to convert. A queue, because a chain of references may be longer than the stack is deep. */
  readonly #targets: Pointer[] = [];

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
    for (let next = this.#targets.pop(); next !== undefined; next = this.#targets.pop()) {
      const id = this.#ids.get(next) as string;
      const target = this.#reader.get(next);
      this.schemas.set(id, { schema: this.#convert(target, next), pointer: next });
      if (this.#reader.isEndless(target)) this.#problems.error(next, ENDLESS);
    }
    const text = JSON.stringify(converted);
    if (text === 'true' || text === '{}') return undefined;
    const { $ref, ...rest } = Object(converted);
    if (typeof $ref === 'string' && Object.keys(rest).length === 0) return $ref;
    const id = this.#ids.get(text) ?? this.#toId(text, pointer);
    this.schemas.set(id, { schema: converted, pointer });
    return id;
  }

  /** IDs, with those that a schema refers to first if possible: Ajv compiles a chain of references recursively. */
  get compileOrder(): string[] {
    return [...this.schemas.keys()].reverse();
  }

  /** An Ajv with all schemas, which compiles them when they are asked for. */
  createAjv(options: { source: boolean }): Ajv2020 {
    const text = JSON.stringify([...this.schemas.values()]);
    const inherited = Object.getOwnPropertyNames(Object.prototype);
    // Draft 2020-12, lenient about unknown formats, stopping at the first error.
    const ajv = new Ajv2020({
      strict: false,
      logger: false,
      validateSchema: false,
      discriminator: true,
      unicodeRegExp: false,
      // JSON may contain 1e999, which JavaScript parses as Infinity.
      strictNumbers: true,
      // A multiple of 0.01 is rarely a multiple of its closest binary number. With 6, decimals of up to ten
      // digits are multiples, and what differs by more than a millionth of the step is none.
      multipleOfPrecision: 6,
      // Schemas with at most this many keywords are copied to each reference.
      inlineRefs: 8,
      // In JavaScript, every object has a property `constructor`.
      ownProperties: inherited.some((name) => text.includes(`"${name}"`)),
      code: { source: options.source, esm: true, lines: true },
    });
    // Its bookkeeping in every function only serves two rare keywords.
    ajv.opts.unevaluated = text.includes('"unevaluated');
    ajv.opts.dynamicRef = false;
    addFormats.default(ajv);
    for (const [id, { schema }] of this.schemas) ajv.addSchema(schema, id);
    return ajv;
  }

  #toId(key: string, pointer: Pointer): string {
    const [root, ...names] = toNames(pointer);
    const words = names.slice(root === 'components' ? 1 : 0).join(' ');
    // An ID is a URI for Ajv, and the name of an export.
    const id = this.#names.take(`is${toTypeName(words.replaceAll(/\W+/g, ' '))}`);
    this.#ids.set(key, id);
    return id;
  }

  /** @param hidden names of properties that are not for this direction, from a schema around this one */
  #convert(schema: unknown, pointer: Pointer, hidden: readonly string[] = []): Schema {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) {
      this.#problems.error(pointer, 'Expected a schema, which must be an object, true or false.');
      return true;
    }
    // JSON Schema allows an empty list, and Ajv does not.
    if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
    const names = hasRequired(schema) ? [...hidden, ...this.#hiddenOf(schema)] : hidden;
    const converted: JsonObject = {};
    for (const [key, value] of Object.entries(schema)) {
      const at = join(pointer, key);
      if (ONE.test(key)) {
        converted[key] = this.#convert(value, at);
      } else if (LIST.test(key)) {
        const below = key === 'prefixItems' ? [] : names;
        converted[key] = toList(value).map((each, index) =>
          this.#convert(each, join(at, index), below),
        );
      } else if (BY_NAME.test(key)) {
        converted[key] = Object.fromEntries(
          entriesOf(value)
            .filter(([name]) => key !== 'patternProperties' || this.#isPattern(name, at))
            .map(([name, each]) => [name, this.#convert(each, join(at, name))]),
        );
      } else if (key === '$ref') {
        const target = decodeReference(String(value));
        if (/^#(?:\/|$)/.test(target)) converted.$ref = this.#addTarget(target);
        else
          this.#problems.warn(at, 'A reference to an $anchor is not checked. Use a JSON Pointer.');
      } else if (key === '$dynamicRef') {
        this.#problems.warn(at, 'A $dynamicRef is not checked. Use $ref.');
      } else if (key === 'pattern') {
        if (this.#isPattern(String(value), at)) converted.pattern = value;
      } else if (key === 'required' && Array.isArray(value)) {
        converted.required = value.filter((name) => !names.includes(name));
      } else if (VALUE.has(key) && !(key.startsWith('exclusive') && typeof value === 'boolean')) {
        // Loading warns of `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
        converted[key] = value;
      }
    }
    const tag = Object(schema.discriminator).propertyName;
    if (typeof tag !== 'string' || !this.#isTagged(schema, tag)) return converted;
    return { ...converted, type: 'object', discriminator: { propertyName: tag } };
  }

  #addTarget(pointer: Pointer): string {
    const known = this.#ids.get(pointer);
    if (known !== undefined) return known;
    this.#targets.push(pointer);
    return this.#toId(pointer, pointer);
  }

  /** Includes those of `allOf` and `$ref`. */
  #hiddenOf(schema: JsonObject): string[] {
    const properties = this.#reader.partsOf(schema, ['allOf']).flatMap(propertiesOf);
    const hidden = properties.filter(([, each]) => this.#reader.isMarked(each, this.#hidden));
    return hidden.map(([name]) => name);
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
  #isTagged({ oneOf }: JsonObject, tag: string): boolean {
    const tags = toList(oneOf).flatMap((member) => {
      const { $ref, ...siblings } = Object(member);
      const target = Object($ref === undefined ? member : this.#reader.follow($ref));
      const property = Object(Object(target.properties)[tag]);
      const isRequired = toList(target.required).includes(tag) && property[this.#hidden] !== true;
      const hasSiblings = $ref !== undefined && Object.keys(siblings).length > 0;
      if (hasSiblings || target.type !== 'object' || !isRequired) return [undefined];
      return 'const' in property ? [property.const] : (property.enum ?? [undefined]);
    });
    // Ajv keeps the tags as the names of an object.
    const isTag = (value: unknown) => typeof value === 'string' && value !== '' && !(value in {});
    return tags.length > 0 && tags.every(isTag) && new Set(tags).size === tags.length;
  }
}

const ENDLESS =
  'This schema refers to itself for the same value, so that checks would not end. Remove the reference.';

/** Finding hidden properties is expensive, and only matters for `required`. */
function hasRequired(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if ('required' in schema) return true;
  return COMPOSITIONS.some((keyword) => toList(schema[keyword]).some(hasRequired));
}
