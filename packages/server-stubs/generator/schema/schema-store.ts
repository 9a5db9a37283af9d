import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ScalarType } from '../../src/runtime/route-table.ts';
import { type Names, toTypeName } from '../names.ts';
import {
  follow,
  isObject,
  join,
  type Located,
  type Pointer,
  type Problems,
  toNames,
  valueAt,
} from '../old/document.ts';
import { normalise, type SchemaContext } from './normalise.ts';
import {
  ANNOTATIONS,
  choicesOf,
  isSchema,
  membersOf,
  propertiesOf,
  type Schema,
  type SchemaObject,
  typesOf,
} from './schema.ts';

const ajv = new Ajv2020({ strict: false, logger: false });

/** A document that is being read, and its schemas, normalised on demand. */
export class SchemaStore {
  readonly problems: Problems;
  readonly #context: SchemaContext;
  readonly #schemas = new Map<Pointer, Schema>();

  constructor(context: SchemaContext) {
    this.problems = context.problems;
    this.#context = context;
  }

  follow(value: unknown, pointer: Pointer): Located {
    return follow(this.#context.document, value, pointer);
  }

  get(pointer: Pointer): Schema {
    const known = this.#schemas.get(pointer);
    if (known !== undefined) return known;
    const { document, problems } = this.#context;
    const schema = normalise(valueAt(document, pointer), pointer, this.#context);
    this.#schemas.set(pointer, check(schema, pointer, problems));
    if (isCircular(pointer, (each) => this.get(each))) {
      problems.error(
        pointer,
        'This schema refers to itself without a property or an item in between. Break the cycle.',
      );
      this.#schemas.set(pointer, true);
    }
    return this.#schemas.get(pointer) ?? true;
  }

  /** `true` if the chain of `$ref`s is circular. */
  resolve(schema: Schema): Schema {
    const visited = new Set<Pointer>();
    let here = schema;
    while (isPlainReference(here)) {
      if (visited.has(here.$ref)) return true;
      visited.add(here.$ref);
      here = this.get(here.$ref);
    }
    return here;
  }
}

/** Returns whether a schema is only a `$ref`, apart from annotations. */
export function isPlainReference(schema: Schema): schema is SchemaObject & { $ref: Pointer } {
  if (typeof schema === 'boolean' || schema.$ref === undefined) return false;
  return Object.keys(schema).every((key) => key === '$ref' || ANNOTATIONS.has(key));
}

/** Checks a schema against the meta-schema of draft 2020-12. */
function check(schema: Schema, pointer: Pointer, problems: Problems): Schema {
  if (ajv.validateSchema(schema) === true) return schema;
  const { instancePath = '', message = 'is malformed' } = ajv.errors?.[0] ?? {};
  const at = join(pointer, ...toNames(`#${instancePath}`));
  problems.error(at, `This is not a valid JSON Schema: it ${message}.`);
  return true;
}

/** A reference to itself without descending into the value: validation would never end. */
function isCircular(pointer: Pointer, get: (pointer: Pointer) => Schema): boolean {
  const visited = new Set<Pointer>();
  return leadsBack(get(pointer));

  function leadsBack(schema: Schema): boolean {
    if (!isObject(schema)) return false;
    const { $ref } = schema;
    if ($ref === pointer) return true;
    if ($ref !== undefined && !visited.has($ref)) {
      visited.add($ref);
      if (leadsBack(get($ref))) return true;
    }
    const inPlace = [schema.not, schema.if, schema.then, schema.else].filter(isSchema);
    return [...choicesOf(schema), ...inPlace].some(leadsBack);
  }
}

export class SchemaNames {
  readonly #names: Names;
  readonly #byPointer = new Map<Pointer, string>();

  constructor(names: Names) {
    this.#names = names;
  }

  /** @example names.of('#/components/schemas/full-repository'); // 'FullRepository' */
  of(pointer: Pointer): string {
    const known = this.#byPointer.get(pointer);
    if (known !== undefined) return known;
    const parts = toNames(pointer);
    const isSchema = parts[0] === 'components' && parts[1] === 'schemas';
    const name = this.#names.take(toTypeName(parts.slice(isSchema ? 2 : 0).join('-')));
    this.#byPointer.set(pointer, name);
    return name;
  }
}

/** `readOnly` properties are not for requests, and `writeOnly` ones not for responses. */
export type Direction = 'request' | 'response';

/**
 * Returns a schema and all others that apply to the same value, through `$ref` and composition.
 *
 * @param choices the schemas that a schema is composed of; `allOf` ones for what is always true of the value
 */
export function sameValue(
  schema: Schema,
  store: SchemaStore,
  choices: (schema: SchemaObject) => Schema[] = choicesOf,
  seen: Set<Schema> = new Set(),
): SchemaObject[] {
  if (typeof schema === 'boolean' || seen.has(schema)) return [];
  seen.add(schema);
  const parts = choices(schema);
  if (schema.$ref !== undefined) parts.push(store.get(schema.$ref));
  return [schema, ...parts.flatMap((part) => sameValue(part, store, choices, seen))];
}

/** Those that apply whatever the value is. */
export function alwaysSame(schema: Schema, store: SchemaStore): SchemaObject[] {
  return sameValue(schema, store, (each) => membersOf(each, 'allOf'));
}

/** Includes those of `allOf` and `$ref`. */
export function hiddenProperties(
  schema: SchemaObject,
  direction: Direction,
  store: SchemaStore,
): Set<string> {
  const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
  const isMarked = (property: Schema) => {
    if (isObject(property) && typeof property[mark] === 'boolean') return property[mark];
    return alwaysSame(property, store).some((part) => part[mark] === true);
  };
  const properties = alwaysSame(schema, store).flatMap(propertiesOf);
  return new Set(properties.flatMap(([name, each]) => (isMarked(each) ? [name] : [])));
}

export type ValueType = ScalarType | 'array' | 'object';

/** Scalar types, in the order in which conversions are tried. */
const SCALARS: readonly ScalarType[] = ['null', 'boolean', 'integer', 'number', 'string'];

/** None if the schema does not restrict them. */
export function valueTypes(schema: Schema, store: SchemaStore): Set<ValueType> {
  return collect(schema, store, new Set());
}

/** In the order in which text is converted. Without restrictions, only strings. */
export function toScalars(types: ReadonlySet<ValueType>): ScalarType[] {
  const scalars = SCALARS.filter((type) => types.has(type));
  return types.size === 0 ? ['string'] : scalars;
}

export function isScalar(types: ReadonlySet<ValueType>): boolean {
  return !types.has('array') && !types.has('object');
}

function collect(schema: Schema, store: SchemaStore, seen: Set<string>): Set<ValueType> {
  if (typeof schema === 'boolean') return new Set();
  const own = new Set(typesOf(schema) as ValueType[]);
  if (own.size > 0) return own;
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(values)) return new Set(values.map(typeOf));
  if (schema.$ref !== undefined && !seen.has(schema.$ref)) {
    const target = collect(store.get(schema.$ref), store, new Set([...seen, schema.$ref]));
    if (target.size > 0) return target;
  }
  for (const part of membersOf(schema, 'allOf')) {
    const types = collect(part, store, seen);
    if (types.size > 0) return types;
  }
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const choices = membersOf(schema, keyword).map((each) => collect(each, store, seen));
    if (choices.some((types) => types.size > 0))
      return new Set(choices.flatMap((each) => [...each]));
  }
  if (propertiesOf(schema).length > 0) return new Set(['object']);
  if ('items' in schema) return new Set(['array']);
  return new Set();
}

function typeOf(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (Number.isInteger(value)) return 'integer';
  return typeof value as ValueType;
}
