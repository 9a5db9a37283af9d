import type { AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { toNames } from '../src/runtime/portable/encoding.ts';
import { createConverter } from './convert-schema.ts';
import { asObject, join, type Pointer, targetOf, toPointer } from './json.ts';
import { Names, toTypeName } from './names.ts';
import { InvalidDocumentError, type OpenApiDocument, type Problem } from './openapi.ts';

/** The annotation of the properties that do not occur in requests or in responses. */
const HIDDEN = { requests: 'readOnly', responses: 'writeOnly' } as const;

type SetName = keyof typeof HIDDEN;

/** Placeholder for a validator in a route table: an export of generated code like `requests.isGetPetsParameters`. */
export class ValidatorName {
  readonly set: SetName;
  readonly id: string;

  constructor(set: SetName, id: string) {
    this.set = set;
    this.id = id;
  }
}

interface Schema {
  readonly schema: AnySchema;
  readonly pointer: Pointer;
}

/** What a `SchemaSet` contains once everything is converted. */
export interface CompleteSet {
  /** By ID, with the schemas that others refer to last. */
  readonly schemas: ReadonlyMap<string, Schema>;
  /** The IDs of the validators that routes use. */
  readonly exported: readonly string[];
}

/**
 * Collects the schemas of requests or of responses, with everything that they refer to. Identical schemas share a
 * validator. For a body whose schema is `{ $ref: '#/components/schemas/Pet' }`:
 * 1. `add` converts the schema. `#toId` gives `Pet` the ID `isPet`, so Ajv's schema is `{ $ref: 'isPet' }`.
 * 2. This is only a reference, so the validator is `isPet` itself: `new ValidatorName('requests', 'isPet')`.
 * 3. `finish` converts `Pet`, and what it refers to, and adds them by their IDs.
 * 4. `writeValidators` has Ajv write `export const isPet = …`; the route table refers to it as `requests.isPet`.
 */
export class SchemaSet {
  readonly document: OpenApiDocument;
  readonly name: SetName;
  readonly #convert: ReturnType<typeof createConverter>;
  readonly #names = new Names();
  /** What `add` returned, by the text of the schema. */
  readonly #validators = new Map<string, ValidatorName>();
  /** By ID. */
  readonly #added = new Map<string, Schema>();
  /** IDs of what schemas refer to, by `$ref`. Only `#toId` adds to them. */
  readonly #targetIds = new Map<string, string>();

  constructor(document: OpenApiDocument, name: SetName) {
    this.document = document;
    this.name = name;
    this.#convert = createConverter(document, HIDDEN[name], ($ref) => this.#toId($ref));
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
    if (!isReference) this.#added.set(id, { schema: converted, pointer });
    const validator = new ValidatorName(this.name, id);
    this.#validators.set(text, validator);
    return validator;
  }

  /** Returns the ID of what a `$ref` refers to, which `finish` converts. */
  #toId($ref: string): string {
    const existing = this.#targetIds.get($ref);
    if (existing !== undefined) return existing;
    const id = this.#createId(toPointer($ref));
    this.#targetIds.set($ref, id);
    return id;
  }

  /** Returns all schemas, once all are added. */
  finish(): CompleteSet {
    const schemas = new Map(this.#added);
    // Each of these schemas may refer to more, which the loop also visits.
    for (const [$ref, id] of this.#targetIds) {
      const pointer = toPointer($ref);
      // Loading warns about `schema: null`.
      const target = targetOf(this.document.root, { $ref }) ?? true;
      schemas.set(id, { schema: this.#convert(target), pointer });
    }
    return { schemas, exported: [...this.#validators.values()].map(({ id }) => id) };
  }

  /** An ID is a URI for Ajv, and the name of an export. */
  #createId(pointer: Pointer): string {
    const words = pointer
      .replace(/^#\/(?:components\/)?[^/]*/, '')
      .replaceAll(/(?:~[01]|\W)+/g, ' ');
    return this.#names.take(`is${toTypeName(words)}`);
  }
}

/** @throws InvalidDocumentError if a schema is invalid */
export function checkSchemas(sets: readonly CompleteSet[], document: OpenApiDocument): void {
  const draft = new Ajv2020({ logger: false, allErrors: true });
  const problems = new Map<Pointer, Problem>();
  for (const { schema, pointer } of sets.flatMap(({ schemas }) => [...schemas.values()])) {
    draft.validateSchema(schema);
    // Many documents list a name twice, which changes nothing. Later errors may only follow from the first.
    const error = draft.errors?.find(({ keyword }) => keyword !== 'uniqueItems');
    if (!error) continue;
    const at = join(pointer, ...toNames(`#${error.instancePath}`));
    problems.set(at, document.toProblem(at, `This is not a valid schema: ${error.message}.`));
  }
  if (problems.size > 0) throw new InvalidDocumentError([...problems.values()]);
}
