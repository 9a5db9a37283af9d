import { join, type Pointer } from '../document.ts';
import { Names, toVariableName } from '../names.ts';
import type {
  ContentModel,
  Operation,
  ParameterModel,
  ResponseModel,
} from '../operations/model.ts';
import { lowerDiscriminator } from '../schema/lower-discriminator.ts';
import {
  ANNOTATIONS,
  choicesOf,
  mapSubschemas,
  requiredOf,
  type Schema,
  type SchemaObject,
} from '../schema/schema.ts';
import {
  type Direction,
  hiddenProperties,
  isPlainReference,
  type SchemaNames,
  type SchemaStore,
  valueTypes,
} from '../schema/schema-store.ts';

const NONE: ReadonlySet<string> = new Set();

export interface Entry {
  readonly name: string;
  readonly schema: Schema;
  readonly pointer: Pointer;
}

/**
 * The validators for one direction, and the schemas that they refer to. Equal schemas share a validator, and
 * each `$ref` target is a separate schema, so that it is compiled only once.
 */
export class ValidatorPlan {
  readonly #store: SchemaStore;
  readonly #schemaNames: SchemaNames;
  readonly #direction: Direction;
  readonly #names = new Names([]);
  readonly #entries = new Map<string, Entry>();
  readonly #targets = new Map<Pointer, Schema>();

  constructor(store: SchemaStore, schemaNames: SchemaNames, direction: Direction) {
    this.#store = store;
    this.#schemaNames = schemaNames;
    this.#direction = direction;
  }

  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** The direct and indirect `$ref` targets of the schemas that were lowered so far. */
  get targets(): { id: string; schema: Schema }[] {
    return [...this.#targets].map(([pointer, schema]) => ({ id: this.#toId(pointer), schema }));
  }

  /** Prepares a schema and its targets for Ajv. */
  lower(schema: Schema): Schema {
    const waiting: Pointer[] = [];
    const toId = (pointer: Pointer) => {
      if (!this.#targets.has(pointer)) waiting.push(pointer);
      return this.#toId(pointer);
    };
    const lowered = this.#toValidatable(schema, toId);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (this.#targets.has(next)) continue;
      this.#targets.set(next, true);
      this.#targets.set(next, this.#toValidatable(this.#store.get(next), toId));
    }
    return lowered;
  }

  /** Ajv parses IDs as URIs. */
  #toId(pointer: Pointer): string {
    return encodeURIComponent(this.#schemaNames.of(pointer)).replaceAll('%', '_');
  }

  #toValidatable(schema: Schema, toId: Lowering['toId']): Schema {
    return toValidatable(schema, { store: this.#store, direction: this.#direction, toId });
  }

  ofParameters({ operationId, pointer, parameters }: Operation): string | undefined {
    const schema = toParametersSchema(parameters, this.#store);
    if (schema === undefined) return undefined;
    return this.#add(join(pointer, 'parameters'), schema, `${operationId}-parameters`);
  }

  ofBody(operation: Operation, content: ContentModel): string | undefined {
    const { kind, schema } = content;
    if (schema === undefined) return undefined;
    const isText = kind === 'text' && !this.#isStructured(schema);
    if (kind !== 'json' && kind !== 'form' && !isText) return undefined;
    return this.#add(content.pointer, schema, `${operation.operationId}-body`);
  }

  /** Only JSON is validated, because text and bytes may be streams. */
  ofResponse(
    operation: Operation,
    { status }: ResponseModel,
    { kind, schema, pointer }: ContentModel,
  ): string | undefined {
    if (schema === undefined || kind !== 'json') return undefined;
    return this.#add(pointer, schema, `${operation.operationId}-${status}`);
  }

  #add(pointer: Pointer, schema: Schema, wanted: string): string | undefined {
    const bare = JSON.stringify(this.#toValidatable(schema, (target) => target));
    if (bare === 'true' || bare === '{}') return undefined;
    const known = this.#entries.get(bare);
    if (known !== undefined) return known.name;
    const name = this.#names.take(
      isPlainReference(schema) ? `is${this.#schemaNames.of(schema.$ref)}` : toVariableName(wanted),
    );
    this.#entries.set(bare, { name, schema, pointer });
    return name;
  }

  #isStructured(schema: Schema): boolean {
    return [...valueTypes(schema, this.#store)].some((type) => type !== 'string');
  }
}

interface Lowering {
  readonly store: SchemaStore;
  readonly direction: Direction;
  readonly toId: (pointer: Pointer) => string;
}

/**
 * A property that is not for this direction is not required. If it is sent anyway, it is validated like any
 * other, but the types of handlers do not contain it.
 */
function toValidatable(
  schema: Schema,
  lowering: Lowering,
  hidden: ReadonlySet<string> = NONE,
): Schema {
  if (typeof schema === 'boolean') return schema;
  const { store, direction, toId } = lowering;
  const lowered = lowerDiscriminator(schema, store);
  const names = hasRequired(schema)
    ? new Set([...hidden, ...hiddenProperties(schema, direction, store)])
    : hidden;
  const bare: SchemaObject = Object.fromEntries(
    Object.entries(lowered).filter(([key]) => !ANNOTATIONS.has(key) && !key.startsWith('x-')),
  );
  if (bare.$ref !== undefined) bare.$ref = toId(bare.$ref);
  if ('required' in bare) {
    bare.required = requiredOf(bare).filter((name) => !names.has(name));
  }
  const parts = new Set<Schema>(choicesOf(bare));
  return mapSubschemas(bare, '#', (each) =>
    toValidatable(each, lowering, parts.has(each) ? names : NONE),
  );
}

/** Finding hidden properties is expensive, and only matters for `required`. */
function hasRequired(schema: SchemaObject): boolean {
  if ('required' in schema) return true;
  return choicesOf(schema).some((each) => typeof each !== 'boolean' && hasRequired(each));
}

/** Omits checks that cannot fail: a matching path has all its parameters, and each of them is a string. */
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

function isAnyText({ parameter, schema }: ParameterModel, store: SchemaStore): boolean {
  if (parameter.in !== 'path' || parameter.shape !== 'scalar') return false;
  return isText(schema, store);
}

function isText(schema: Schema, store: SchemaStore): boolean {
  const target: Schema = store.resolve(schema);
  if (typeof target === 'boolean') return target;
  return Object.entries(target).every(
    ([key, value]) =>
      ANNOTATIONS.has(key) || key.startsWith('x-') || (key === 'type' && value === 'string'),
  );
}
