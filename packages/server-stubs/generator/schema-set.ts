import type { AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as equalModule from 'ajv/dist/runtime/equal.js';
import addFormats from 'ajv-formats';
import { toNames } from '../src/runtime/json-pointer.ts';
import type { Validator } from '../src/runtime/route-table.ts';
import { ajvHelpers, functionIn } from '../src/runtime/validation.ts';
import { createConverter } from './convert-schema.ts';
import { asObject, type OpenApiDocument, type Pointer, targetOf, toPointer } from './document.ts';
import { Names, toTypeName } from './names.ts';

/** What the readers of an operation share. */
export interface Context {
  readonly document: OpenApiDocument;
  readonly request: SchemaSet;
  readonly response: SchemaSet;
}

/** A validator, and the expression for it in generated code. */
export type WrittenValidator = Validator & { readonly expression: string };

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
  readonly #convert: ReturnType<typeof createConverter>;
  readonly #names = new Names();
  /** By the reference to a target, or the text of any other schema. */
  readonly #ids = new Map<string, string>();
  /** References to convert. A queue, because a chain of them may be longer than the stack is deep. */
  readonly #references: string[] = [];
  #ajv: Ajv2020 | undefined;

  constructor(document: OpenApiDocument, direction: 'request' | 'response') {
    this.#document = document;
    this.#direction = direction;
    this.#convert = createConverter(document, direction, (reference) => {
      if (!this.#ids.has(reference)) this.#references.push(reference);
      return this.#toId(reference);
    });
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
      // digits are multiples, and a value that is off by more than a millionth of the step is not.
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
}
