import type { AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as equalModule from 'ajv/dist/runtime/equal.js';
import addFormats from 'ajv-formats';
import { toNames } from '../src/runtime/faults.ts';
import type { Validator } from '../src/runtime/route-table.ts';
import { ajvHelpers, functionIn } from '../src/runtime/validation.ts';
import {
  asObject,
  entriesOf,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  type Pointer,
  targetOf,
  toList,
  toPointer,
} from './document.ts';
import { Names, toTypeName } from './names.ts';
import { ALL_OF, COMPOSITIONS, isMarked, mapSubschemas, partsOf, propertiesOf } from './schemas.ts';

/** What reading an operation needs. */
export interface Context {
  readonly document: OpenApiDocument;
  readonly request: SchemaSet;
  readonly response: SchemaSet;
}

/** A validator, and the expression for it in generated code. */
export type WrittenValidator = Validator & { readonly expression: string };

/** Keywords that take a value. All others are annotations, which have no effect, or unknown to Ajv. */
const VALUE = new Set(
  `type enum const multipleOf maximum minimum maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties
  dependentRequired format`.split(/\s+/),
);

/**
 * The schemas of one direction, as Ajv validates them: without annotations, which may look like schemas, and
 * with an ID for each target of a `$ref`, so that it is compiled once.
 */
export class SchemaSet {
  /** By ID. */
  readonly schemas = new Map<string, { readonly schema: AnySchema; readonly pointer: Pointer }>();
  /** IDs of the schemas that `add` was called with. The others are only referred to. */
  readonly roots = new Set<string>();
  readonly #document: OpenApiDocument;
  readonly #direction: 'request' | 'response';
  readonly #names = new Names();
  /** By the reference to a target, or the text of any other schema. */
  readonly #ids = new Map<string, string>();
  /** References to convert. A queue, because a chain of them may be longer than the stack is deep. */
  readonly #references: string[] = [];
  #ajv: Ajv2020 | undefined;

  constructor(document: OpenApiDocument, direction: 'request' | 'response') {
    this.#document = document;
    this.#direction = direction;
  }

  /**
   * Returns a validator, which is compiled when it is first called, or `undefined` if every value is valid. Equal
   * schemas have the same expression.
   */
  add(schema: unknown, pointer: Pointer): WrittenValidator | undefined {
    const converted = this.#convert(schema);
    for (let $ref = this.#references.pop(); $ref !== undefined; $ref = this.#references.pop()) {
      const target = this.#convert(targetOf(this.#document.root, { $ref }));
      this.schemas.set(this.#toId($ref), { schema: target, pointer: toPointer($ref) });
    }
    const text = JSON.stringify(converted);
    if (text === 'true' || text === '{}') return undefined;
    const { $ref, ...rest } = asObject(converted);
    const isReference = typeof $ref === 'string' && Object.keys(rest).length === 0;
    const id: string = isReference ? $ref : this.#toId(text, pointer);
    if (!isReference) this.schemas.set(id, { schema: converted, pointer });
    this.roots.add(id);
    let compiled: Validator | undefined;
    const validate: Validator = (data) => {
      compiled ??= this.#compile(id);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return Object.assign(validate, { expression: `${this.#direction}s.${id}` });
  }

  #compile(id: string): Validator {
    if (this.#ajv === undefined) {
      this.#ajv = this.createAjv({ source: false });
      // Like generated code: Ajv's own function would call a `valueOf` or `toString` that the JSON contains.
      this.#ajv.scope.value('func', { key: functionIn(equalModule), ref: ajvHelpers.equal });
    }
    try {
      return this.#ajv.getSchema(id) as Validator;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      for (const each of this.compileOrder) this.#ajv.getSchema(each);
      return this.#ajv.getSchema(id) as Validator;
    }
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
      // Optimizing takes a time quadratic in the properties of a schema, and makes nothing faster.
      code: { ...options, esm: true, lines: true, optimize: false },
    });
    // Its bookkeeping in every function only serves two rare keywords.
    ajv.opts.unevaluated = text.includes('"unevaluated');
    ajv.opts.dynamicRef = false;
    addFormats.default(ajv);
    for (const [id, { schema }] of this.schemas) ajv.addSchema(schema, id);
    return ajv;
  }

  /** @param key the reference to a target, or the text of any other schema */
  #toId(key: string, pointer: Pointer = toPointer(key)): string {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const [root, ...names] = toNames(pointer);
    const words = names.slice(root === 'components' ? 1 : 0).join(' ');
    // An ID is a URI for Ajv, and the name of an export.
    const id = this.#names.take(`is${toTypeName(words.replaceAll(/\W+/g, ' '))}`);
    this.#ids.set(key, id);
    return id;
  }

  /** @param parents schemas for the same value that contain this one, which may require their properties */
  #convert(schema: unknown, parents: readonly JsonObject[] = []): AnySchema {
    // The generator checks whether it is one.
    if (!isObject(schema)) return schema as AnySchema;
    // JSON Schema allows an empty list, and Ajv does not.
    if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
    const converted: JsonObject = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const kept = this.#convertKeyword(keyword, value, [...parents, schema]);
      if (kept !== undefined) converted[keyword] = kept;
    }
    const tag = asObject(schema.discriminator).propertyName;
    if (typeof tag !== 'string' || !this.#isTagged(schema, tag)) return converted;
    return { ...converted, type: 'object', discriminator: { propertyName: tag } };
  }

  /** Returns `undefined` for a keyword without effect, or one that is not checked. */
  #convertKeyword(keyword: string, value: unknown, owners: readonly JsonObject[]): unknown {
    const at = this.#document.pointerTo(owners.at(-1), keyword);
    switch (keyword) {
      case '$ref':
        return this.#toTarget(String(value), at);
      case '$dynamicRef':
        this.#document.warn(at, 'A $dynamicRef is not checked. Use $ref.');
        return undefined;
      case 'pattern':
        return this.#isPattern(String(value), at) ? value : undefined;
      case 'patternProperties': {
        const entries = entriesOf(value).filter(([name]) => this.#isPattern(name, at));
        return Object.fromEntries(entries.map(([name, each]) => [name, this.#convert(each)]));
      }
      case 'required': {
        const isHidden = (name: unknown) => owners.some((owner) => this.#isHidden(owner, name));
        return Array.isArray(value) ? value.filter((name) => !isHidden(name)) : value;
      }
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        // Loading warns of `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
        return typeof value === 'boolean' ? undefined : value;
    }
    if (VALUE.has(keyword)) return value;
    const parents = COMPOSITIONS.test(keyword) ? owners : [];
    return mapSubschemas(keyword, value, (each) => this.#convert(each, parents));
  }

  /** The ID of the target of a `$ref`. */
  #toTarget(reference: string, at: Pointer): string | undefined {
    if (!/^#(?:\/|$)/.test(reference)) {
      this.#document.warn(at, 'A reference to an $anchor is not checked. Use a JSON Pointer.');
      return undefined;
    }
    if (!this.#ids.has(reference)) this.#references.push(reference);
    return this.#toId(reference);
  }

  /** Whether a property is not for this direction. It may be in `allOf` or behind a `$ref`. */
  #isHidden(schema: JsonObject, name: unknown): boolean {
    const mark = this.#direction === 'request' ? 'readOnly' : 'writeOnly';
    const properties = partsOf(this.#document.root, schema, ALL_OF).flatMap(propertiesOf);
    return properties.some(
      ([each, value]) => each === name && isMarked(this.#document.root, value, mark),
    );
  }

  #isPattern(pattern: string, pointer: Pointer): boolean {
    try {
      new RegExp(pattern);
      return true;
    } catch {
      const text = JSON.stringify(pattern);
      const message = `${text} is not a valid JavaScript regular expression, so it is not checked.`;
      this.#document.warn(pointer, `${message} Change it.`);
      return false;
    }
  }

  /**
   * A discriminator never changes what is valid. Ajv's keyword only checks the schema that the tag selects, so its
   * errors are more precise. It requires objects whose tags are different constants.
   */
  #isTagged({ oneOf }: JsonObject, tag: string): boolean {
    const tags = toList(oneOf).flatMap((member) => {
      const { $ref, ...siblings } = asObject(member);
      const target = asObject(
        $ref === undefined ? member : targetOf(this.#document.root, { $ref }),
      );
      const property = asObject(asObject(target.properties)[tag]);
      const isRequired = toList(target.required).includes(tag) && !this.#isHidden(target, tag);
      const hasSiblings = $ref !== undefined && Object.keys(siblings).length > 0;
      if (hasSiblings || target.type !== 'object' || !isRequired) return [undefined];
      return 'const' in property ? [property.const] : (property.enum ?? [undefined]);
    });
    // Ajv keeps the tags as the names of an object.
    const isTag = (value: unknown) => typeof value === 'string' && value !== '' && !(value in {});
    return tags.length > 0 && tags.every(isTag) && new Set(tags).size === tags.length;
  }
}
