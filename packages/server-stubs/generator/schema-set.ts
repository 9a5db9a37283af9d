import type { Validator } from '../src/runtime/portable/route-table.ts';
import { convertSchema } from './convert-schema.ts';
import { Names, toTypeName } from './names.ts';
import { asObject, type OpenApiDocument, type Pointer, targetOf, toPointer } from './openapi.ts';
import { createSupport } from './supported.ts';
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

/** The schemas of requests or of responses, as Ajv validates them. Those with the same text have one validator. */
export class SchemaSet {
  readonly document: OpenApiDocument;
  readonly #name: SetName;
  readonly #names = new Names();
  /** What `add` returned, by the text of the schema. */
  readonly #validators = new Map<string, ValidatorName>();
  /** The IDs of schemas that others refer to, by `$ref`. */
  readonly #targetIds = new Map<string, string>();
  readonly #schemas = new Map<string, Schema>();
  readonly #isSupported: (schema: unknown) => boolean;

  constructor(document: OpenApiDocument, name: SetName) {
    this.document = document;
    this.#name = name;
    this.#isSupported = createSupport(document);
  }

  /** Adds a schema, and returns its validator, or `undefined` if every value is valid. */
  add(schema: unknown, pointer: Pointer): ValidatorName | undefined {
    const converted = this.#convert(schema);
    const text = JSON.stringify(converted);
    if (text === 'true' || text === '{}') return undefined;
    const existing = this.#validators.get(text);
    if (existing !== undefined) return existing;
    const { $ref, ...rest } = asObject(converted);
    const isReference = typeof $ref === 'string' && Object.keys(rest).length === 0;
    const id = isReference ? $ref : this.#createId(pointer);
    if (!isReference) this.#schemas.set(id, { schema: converted, pointer });
    const validator = new ValidatorName(this.#name, id);
    this.#validators.set(text, validator);
    return validator;
  }

  /** Returns the added schemas and those that they refer to. To be called after the last `add`. */
  finish() {
    const schemas = new Map(this.#schemas);
    // Grows while it is read. Not recursive, because a chain of references may be longer than the stack is deep.
    for (const [$ref, id] of this.#targetIds) {
      if (schemas.has(id)) continue;
      const schema = this.#convert(targetOf(this.document.root, { $ref }));
      schemas.set(id, { schema, pointer: toPointer($ref) });
    }
    const exported = [...this.#validators.values()].map(({ id }) => id);
    return toFinished(schemas, exported);
  }

  #convert(schema: unknown) {
    return convertSchema(schema, {
      document: this.document,
      hidden: HIDDEN[this.#name],
      isSupported: this.#isSupported,
      toTargetId: ($ref) => this.#toTargetId($ref),
    });
  }

  #toTargetId($ref: string): string {
    const id = this.#targetIds.get($ref) ?? this.#createId(toPointer($ref));
    this.#targetIds.set($ref, id);
    return id;
  }

  /** An ID is a URI for Ajv, and the name of an export. */
  #createId(pointer: Pointer): string {
    const words = pointer
      .replace(/^#\/(?:components\/)?[^/]*/, '')
      .replaceAll(/(?:~[01]|\W)+/g, ' ');
    return this.#names.take(`is${toTypeName(words)}`);
  }
}

function toFinished(schemas: ReadonlyMap<string, Schema>, exported: readonly string[]) {
  let compile: ((id: string) => Validator) | undefined;
  return {
    /** By ID, with the schemas that others refer to last. */
    schemas,
    /** Returns a validator that is compiled when it is first called. */
    toValidator({ id }: ValidatorName): Validator {
      let compiled: Validator | undefined;
      const validate: Validator = (data) => {
        compile ??= createCompiler(schemas);
        compiled ??= compile(id);
        const isValid = compiled(data);
        validate.errors = compiled.errors ?? null;
        return isValid;
      };
      return validate;
    },
    /** Writes a module that exports the validators, each by its ID. */
    toModule: (runtime: string) => writeValidators(schemas, exported, runtime),
  };
}
