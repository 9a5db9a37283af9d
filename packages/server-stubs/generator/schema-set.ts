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
} from './document.ts';
import { Names, toTypeName } from './names.ts';
import {
  BY_NAME,
  COMPOSITIONS,
  type Direction,
  LIST,
  type Mark,
  ONE,
  propertiesOf,
  type Schema,
  type SchemaReader,
} from './schemas.ts';

/** Keywords that take a value. All others are annotations, which have no effect, or unknown to Ajv. */
const VALUE = new Set(
  `type enum const multipleOf maximum minimum maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties
  dependentRequired format`.split(/\s+/),
);

/** Ajv takes quadratic time to optimize the code of schemas with more members than this. */
const MAX_OPTIMIZED = 200;

/**
 * The schemas of one direction, as Ajv validates them: without annotations, which may look like schemas, and
 * with an ID for each target of a `$ref`, so that it is compiled once.
 */
export class SchemaSet {
  /** By ID. */
  readonly schemas = new Map<string, { readonly schema: Schema; readonly pointer: Pointer }>();
  /** IDs of the schemas that were added, and not only referred to. */
  readonly roots = new Set<string>();
  readonly #reader: SchemaReader;
  readonly #hidden: Mark;
  readonly #problems: Problems;
  readonly #names = new Names();
  /** By the pointer of a target, or the text of any other schema. */
  readonly #ids = new Map<string, string>();
  /** Targets to convert. A queue, because a chain of references may be longer than the stack is deep. */
  readonly #targets: Pointer[] = [];
  #maxMembers = 0;

  constructor(reader: SchemaReader, direction: Direction, problems: Problems) {
    this.#reader = reader;
    this.#hidden = direction === 'request' ? 'readOnly' : 'writeOnly';
    this.#problems = problems;
  }

  /** Returns an ID, which is the same for equal schemas, or `undefined` if every value is valid. */
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
    const isReference = typeof $ref === 'string' && Object.keys(rest).length === 0;
    const id: string = isReference ? $ref : (this.#ids.get(text) ?? this.#toId(text, pointer));
    if (!isReference) this.schemas.set(id, { schema: converted, pointer });
    this.roots.add(id);
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
      code: {
        source: options.source,
        esm: true,
        lines: true,
        optimize: this.#maxMembers <= MAX_OPTIMIZED,
      },
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
    for (const [keyword, value] of Object.entries(schema)) {
      const kept = this.#convertKeyword(keyword, value, join(pointer, keyword), names);
      if (kept !== undefined) converted[keyword] = kept;
    }
    const tag = Object(schema.discriminator).propertyName;
    if (typeof tag !== 'string' || !this.#isTagged(schema, tag)) return converted;
    return { ...converted, type: 'object', discriminator: { propertyName: tag } };
  }

  /** Returns `undefined` for a keyword without effect, or one that is not checked. */
  #convertKeyword(
    keyword: string,
    value: unknown,
    at: Pointer,
    hidden: readonly string[],
  ): unknown {
    if (ONE.test(keyword)) return this.#convert(value, at);
    if (LIST.test(keyword)) {
      const below = keyword === 'prefixItems' ? [] : hidden;
      const list = toList(value);
      this.#maxMembers = Math.max(this.#maxMembers, list.length);
      return list.map((each, index) => this.#convert(each, join(at, index), below));
    }
    if (BY_NAME.test(keyword)) {
      const entries = entriesOf(value)
        .filter(([name]) => keyword !== 'patternProperties' || this.#isPattern(name, at))
        .map(([name, each]) => [name, this.#convert(each, join(at, name))]);
      this.#maxMembers = Math.max(this.#maxMembers, entries.length);
      return Object.fromEntries(entries);
    }
    switch (keyword) {
      case '$ref':
        return this.#toTarget(decodeReference(String(value)), at);
      case '$dynamicRef':
        this.#problems.warn(at, 'A $dynamicRef is not checked. Use $ref.');
        return undefined;
      case 'pattern':
        return this.#isPattern(String(value), at) ? value : undefined;
      case 'required':
        return Array.isArray(value) ? value.filter((name) => !hidden.includes(name)) : value;
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        // Loading warns of `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
        return typeof value === 'boolean' ? undefined : value;
      default:
        return VALUE.has(keyword) ? value : undefined;
    }
  }

  /** The ID of the target of a `$ref`. */
  #toTarget(target: Pointer, at: Pointer): string | undefined {
    if (!/^#(?:\/|$)/.test(target)) {
      this.#problems.warn(at, 'A reference to an $anchor is not checked. Use a JSON Pointer.');
      return undefined;
    }
    const known = this.#ids.get(target);
    if (known !== undefined) return known;
    this.#targets.push(target);
    return this.#toId(target, target);
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
