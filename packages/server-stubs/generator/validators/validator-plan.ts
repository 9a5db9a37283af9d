import { join, type Pointer } from '../document/pointer.ts';
import { Names, toVariableName } from '../names.ts';
import type {
  ContentModel,
  Operation,
  ParameterModel,
  ResponseModel,
} from '../operations/model.ts';
import { valueTypes } from '../operations/value-types.ts';
import type { Schema, SchemaObject } from '../schema/schema.ts';
import type { SchemaNames } from '../schema/schema-names.ts';
import { isPlainReference, type SchemaStore } from '../schema/schema-store.ts';
import type { Entry } from './compile-validators.ts';

/** Which validators there are in one direction, and who uses which; each schema has one only. */
export class ValidatorPlan {
  readonly #store: SchemaStore;
  readonly #schemaNames: SchemaNames;
  readonly #names = new Names([]);
  readonly #entries = new Map<string, Entry>();

  constructor(store: SchemaStore, schemaNames: SchemaNames) {
    this.#store = store;
    this.#schemaNames = schemaNames;
  }

  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** Export that holds the parameters of an operation to their schemas; `undefined` without any. */
  ofParameters({ operationId, pointer, parameters }: Operation): string | undefined {
    if (parameters.length === 0) return undefined;
    const schema = toParametersSchema(parameters);
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
    if (schema === true) return undefined;
    const target = isPlainReference(schema) ? schema.$ref : pointer;
    const key = `${target} ${isForm}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known.name;
    const isInline = target === pointer && pointer.startsWith('#/paths/');
    const base = isInline ? toVariableName(wanted) : `is${this.#schemaNames.of(target)}`;
    const name = this.#names.take(isForm ? `${base}Form` : base);
    this.#entries.set(key, { name, schema, pointer, isForm });
    return name;
  }

  #isStructured(schema: Schema): boolean {
    return [...valueTypes(schema, this.#store)].some((type) => type !== 'string');
  }
}

/** One schema for all parameters of an operation, by place and name. */
function toParametersSchema(parameters: readonly ParameterModel[]): SchemaObject {
  const places = [...new Set(parameters.map(({ parameter }) => parameter.in))];
  const toPlace = (place: string): SchemaObject => {
    const here = parameters.filter(({ parameter }) => parameter.in === place);
    const required = here.filter(({ parameter }) => parameter.required);
    return {
      type: 'object',
      ...(required.length > 0 ? { required: required.map(({ parameter }) => parameter.name) } : {}),
      properties: Object.fromEntries(here.map(({ parameter, schema }) => [parameter.name, schema])),
    };
  };
  return {
    type: 'object',
    properties: Object.fromEntries(places.map((place) => [place, toPlace(place)])),
  };
}
