import { join, type Pointer } from '../document.ts';
import { Names, toVariableName } from '../names.ts';
import type {
  ContentModel,
  Operation,
  ParameterModel,
  PartModel,
  ResponseModel,
} from '../operations/model.ts';
import { ANNOTATIONS, type Schema, type SchemaObject } from '../schema/schema.ts';
import {
  type Direction,
  isPlainReference,
  type SchemaNames,
  type SchemaStore,
} from '../schema/schema-store.ts';
import { valueTypes } from '../schema/value-types.ts';
import type { Entry } from './compile-validators.ts';
import { toValidatable } from './schema-set.ts';

/** The validators for one direction. Equal schemas share one. */
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

  /** Returns the export that validates an operation's parameters; `undefined` if it has none. */
  ofParameters({ operationId, pointer, parameters }: Operation): string | undefined {
    const schema = toParametersSchema(parameters, this.#store);
    if (schema === undefined) return undefined;
    const isForm = parameters.some(({ parameter }) => parameter.shape === 'nested');
    return this.#add(join(pointer, 'parameters'), schema, `${operationId}-parameters`, isForm);
  }

  ofBody(operation: Operation, content: ContentModel): string | undefined {
    const { kind, schema, parts } = content;
    if (parts !== undefined) {
      return this.#add(content.pointer, parts.schema, `${operation.operationId}-form`, false);
    }
    if (schema === undefined) return undefined;
    const isText = kind === 'text' && !this.#isStructured(schema);
    if (kind !== 'json' && kind !== 'form' && !isText) return undefined;
    return this.#add(content.pointer, schema, `${operation.operationId}-body`, kind === 'form');
  }

  /** Returns the export that validates the value of a part of a form, or an item of its list. */
  ofPart({ operationId }: Operation, { name, part, schema, pointer }: PartModel) {
    if (part.kind !== 'json' && (part.kind !== 'text' || isText(schema, this.#store)))
      return undefined;
    return this.#add(pointer, schema, `${operationId}-${name}`, false);
  }

  /** Only JSON is validated, because text and bytes may be streams. */
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

  /** Keeps only the keywords that affect validation. */
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

/**
 * Combines all parameters of an operation into one schema, `{ path, query, header, cookie }`. Omits
 * checks that cannot fail: a matching path has all its parameters, and each of them is a string.
 *
 * @returns `undefined` if nothing is left
 */
function toParametersSchema(
  parameters: readonly ParameterModel[],
  store: SchemaStore,
): SchemaObject | undefined {
  const held = parameters.filter((each) => !isAnyText(each, store));
  const places = [...new Set(held.map(({ parameter }) => parameter.in))];
  if (places.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(places.map((place) => [place, toPlace(place, held)])),
  };
}

function toPlace(place: string, parameters: readonly ParameterModel[]): SchemaObject {
  const here = parameters.filter(({ parameter }) => parameter.in === place);
  const required = here.filter(({ parameter }) => parameter.required && place !== 'path');
  return {
    type: 'object',
    ...(required.length > 0 ? { required: required.map(({ parameter }) => parameter.name) } : {}),
    properties: Object.fromEntries(here.map(({ parameter, schema }) => [parameter.name, schema])),
  };
}

/** Returns whether this is a path parameter whose schema allows any string. */
function isAnyText({ parameter, schema }: ParameterModel, store: SchemaStore): boolean {
  if (parameter.in !== 'path' || parameter.shape !== 'scalar') return false;
  return isText(schema, store);
}

/** Returns whether a schema allows any string. */
function isText(schema: Schema, store: SchemaStore): boolean {
  const target: Schema = store.resolve(schema);
  if (typeof target === 'boolean') return target;
  return Object.entries(target).every(
    ([key, value]) =>
      ANNOTATIONS.has(key) || key.startsWith('x-') || (key === 'type' && value === 'string'),
  );
}
