import { toNames } from '../src/runtime/portable/encoding.ts';
import type { Validator } from '../src/runtime/portable/route-table.ts';
import { createCompleteness } from './checkable.ts';
import { type Conversion, convertSchema } from './convert-schema.ts';
import { Names, toTypeName } from './names.ts';
import {
  asObject,
  type OpenApiDocument,
  type Pointer,
  targetOf,
  toPointer,
} from './openapi-document.ts';
import { createCompiler, type Schema, writeValidators } from './validators.ts';

/** The mark of the properties that do not occur in requests or in responses. */
const HIDDEN = { requests: 'readOnly', responses: 'writeOnly' } as const;

type SetName = keyof typeof HIDDEN;

/** Stands for a validator in a table: an export of generated code, such as `requests.isPetsGetParameters`. */
export class ValidatorName {
  readonly set: SetName;
  readonly id: string;

  constructor(set: SetName, id: string) {
    this.set = set;
    this.id = id;
  }
}

/**
 * The schemas of requests or of responses, as Ajv validates them, with an ID for each target of a `$ref`, so that it is
 * compiled once.
 */
export class SchemaSet {
  readonly document: OpenApiDocument;
  readonly #name: SetName;
  readonly #conversion: Conversion;
  readonly #schemas = new Map<string, Schema>();
  /** What `add` returned, by ID. The other schemas are only referred to. */
  readonly #validators = new Map<string, ValidatorName>();
  readonly #names = new Names();
  /** By the reference to a target, or the text of any other schema. */
  readonly #ids = new Map<string, string>();
  /** References to convert. A queue, because a chain of them may be longer than the stack is deep. */
  readonly #references: string[] = [];
  #compile: ((id: string) => Validator) | undefined;

  constructor(document: OpenApiDocument, name: SetName) {
    this.document = document;
    this.#name = name;
    this.#conversion = {
      document,
      hidden: HIDDEN[name],
      isComplete: createCompleteness(document),
      refer: (reference) => {
        if (!this.#ids.has(reference)) this.#references.push(reference);
        return this.#toId(reference);
      },
    };
  }

  get schemas(): Iterable<Schema> {
    return this.#schemas.values();
  }

  /** Adds a schema, and returns its validator, or `undefined` if every value is valid. */
  add(schema: unknown, pointer: Pointer): ValidatorName | undefined {
    const converted = convertSchema(schema, this.#conversion);
    for (let $ref = this.#references.pop(); $ref !== undefined; $ref = this.#references.pop()) {
      const target = convertSchema(targetOf(this.document.root, { $ref }), this.#conversion);
      this.#schemas.set(this.#toId($ref), { schema: target, pointer: toPointer($ref) });
    }
    const text = JSON.stringify(converted);
    if (text === 'true' || text === '{}') return undefined;
    const { $ref, ...rest } = asObject(converted);
    const isReference = typeof $ref === 'string' && Object.keys(rest).length === 0;
    const id = isReference ? $ref : this.#toId(text, pointer);
    if (!isReference) this.#schemas.set(id, { schema: converted, pointer });
    const known = this.#validators.get(id) ?? new ValidatorName(this.#name, id);
    this.#validators.set(id, known);
    return known;
  }

  /** Returns a validator that is compiled when it is first called, after all schemas have been added. */
  toValidator({ id }: ValidatorName): Validator {
    let compiled: Validator | undefined;
    const validate: Validator = (data) => {
      this.#compile ??= createCompiler(this.#schemas);
      compiled ??= this.#compile(id);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  }

  /** Writes a module that exports the validators, each by its ID. */
  toModule(runtime: string): string {
    return writeValidators(this.#schemas, [...this.#validators.keys()], runtime);
  }

  /** @param key the reference to a target, or the text of any other schema */
  #toId(key: string, pointer: Pointer = toPointer(key)): string {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const [first, ...names] = toNames(pointer);
    const words = names.slice(first === 'components' ? 1 : 0).join(' ');
    // An ID is a URI for Ajv, and the name of an export.
    const id = this.#names.take(`is${toTypeName(words.replaceAll(/\W+/g, ' '))}`);
    this.#ids.set(key, id);
    return id;
  }
}
