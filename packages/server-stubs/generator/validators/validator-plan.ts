import { join, type Pointer } from '../document/pointer.ts';
import { Names, toVariableName } from '../names.ts';
import type { ContentModel, Operation, ResponseModel } from '../operations/model.ts';
import { valueTypes } from '../operations/value-types.ts';
import type { Direction } from '../schema/direction.ts';
import type { Schema } from '../schema/schema.ts';
import type { SchemaNames } from '../schema/schema-names.ts';
import { isPlainReference, type SchemaStore } from '../schema/schema-store.ts';
import type { Entry } from './compile-validators.ts';
import { toParametersSchema } from './to-parameters-schema.ts';
import { toValidatable } from './to-validatable.ts';

/** Which validators there are in one direction, and who uses which; equal schemas share one. */
export class ValidatorPlan {
  readonly #store: SchemaStore;
  readonly #schemaNames: SchemaNames;
  readonly #direction: Direction;
  readonly #names = new Names([]);
  readonly #entries = new Map<string, Entry>();

  constructor(store: SchemaStore, schemaNames: SchemaNames, direction: Direction) {
    this.#store = store;
    this.#schemaNames = schemaNames;
    this.#direction = direction;
  }

  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** Export that holds the parameters of an operation to their schemas; `undefined` without any. */
  ofParameters({ operationId, pointer, parameters }: Operation): string | undefined {
    const schema = toParametersSchema(parameters, this.#store);
    if (schema === undefined) return undefined;
    return this.#add(join(pointer, 'parameters'), schema, `${operationId}-parameters`, false);
  }

  ofBody(operation: Operation, content: ContentModel): string | undefined {
    const { kind, schema } = content;
    if (schema === undefined) return undefined;
    const isText = kind === 'text' && !this.#isStructured(schema);
    if (kind !== 'json' && kind !== 'form' && !isText) return undefined;
    return this.#add(content.pointer, schema, `${operation.operationId}-body`, kind === 'form');
  }

  /** Text and bytes may be streams, so only JSON is held to its schema. */
  ofResponse(
    operation: Operation,
    { status }: ResponseModel,
    { kind, schema, pointer }: ContentModel,
  ): string | undefined {
    if (schema === undefined || kind !== 'json') return undefined;
    return this.#add(pointer, schema, `${operation.operationId}-${status}`, false);
  }

  #add(pointer: Pointer, schema: Schema, wanted: string, isForm: boolean): string | undefined {
    const bare = JSON.stringify(this.#toBare(schema));
    if (bare === 'true' || bare === '{}') return undefined;
    const key = `${isForm} ${bare}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known.name;
    const base = isPlainReference(schema)
      ? `is${this.#schemaNames.of(schema.$ref)}`
      : toVariableName(wanted);
    const name = this.#names.take(isForm ? `${base}Form` : base);
    this.#entries.set(key, { name, schema, pointer, isForm });
    return name;
  }

  /** All that bears on the verdict. */
  #toBare(schema: Schema): Schema {
    return toValidatable(schema, {
      store: this.#store,
      direction: this.#direction,
      toId: (pointer) => pointer,
    });
  }

  #isStructured(schema: Schema): boolean {
    return [...valueTypes(schema, this.#store)].some((type) => type !== 'string');
  }
}
