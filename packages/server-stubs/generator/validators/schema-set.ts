import type { Pointer } from '../document.ts';
import { lowerDiscriminator } from '../schema/lower-discriminator.ts';
import {
  ANNOTATIONS,
  mapSubschemas,
  membersOf,
  requiredOf,
  type Schema,
  type SchemaObject,
} from '../schema/schema.ts';
import {
  type Direction,
  hiddenProperties,
  type SchemaNames,
  type SchemaStore,
} from '../schema/schema-store.ts';

const NONE: ReadonlySet<string> = new Set();

/** A schema for Ajv, and its pointer in the document. */
interface ValidatableSchema {
  readonly id: string;
  readonly pointer: Pointer;
  readonly schema: Schema;
}

/**
 * The schemas for Ajv in one direction. Each `$ref` target is a separate schema, so that it is compiled
 * only once.
 */
export class SchemaSet {
  readonly #store: SchemaStore;
  readonly #names: SchemaNames;
  readonly #direction: Direction;
  readonly #targets = new Map<Pointer, ValidatableSchema>();

  constructor(store: SchemaStore, names: SchemaNames, direction: Direction) {
    this.#store = store;
    this.#names = names;
    this.#direction = direction;
  }

  /** All direct and indirect `$ref` targets of the schemas that were prepared so far. */
  get targets(): Iterable<ValidatableSchema> {
    return this.#targets.values();
  }

  lower(schema: Schema): Schema {
    const waiting: Pointer[] = [];
    const lowering = {
      store: this.#store,
      direction: this.#direction,
      toId: (pointer: Pointer) => {
        if (!this.#targets.has(pointer)) waiting.push(pointer);
        return this.#toId(pointer);
      },
    };
    const lowered = toValidatable(schema, lowering);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (this.#targets.has(next)) continue;
      const id = this.#toId(next);
      this.#targets.set(next, { id, pointer: next, schema: true });
      const target = toValidatable(this.#store.get(next), lowering);
      this.#targets.set(next, { id, pointer: next, schema: target });
    }
    return lowered;
  }

  /** Ajv parses IDs as URIs. */
  #toId(pointer: Pointer): string {
    return encodeURIComponent(this.#names.of(pointer)).replaceAll('%', '_');
  }
}

interface Lowering {
  readonly store: SchemaStore;
  readonly direction: Direction;
  /** Returns the Ajv ID of a `$ref` target. */
  readonly toId: (pointer: Pointer) => string;
}

/**
 * Prepares a schema for Ajv: for one direction, with discriminators rewritten, with `$ref`s by ID, and
 * without keywords that do not affect validation.
 *
 * A property that is not for this direction is not required. If it is sent anyway, it is validated like
 * any other, but the types of handlers do not contain it.
 *
 * @param hidden names to remove from `required`, in addition to those that the schema itself hides
 */
export function toValidatable(
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
  const parts = new Set<Schema>(
    (['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) => membersOf(bare, key)),
  );
  return mapSubschemas(bare, '#', (each) =>
    toValidatable(each, lowering, parts.has(each) ? names : NONE),
  );
}

/** Finding hidden properties is expensive, and only matters for `required`. */
function hasRequired(schema: SchemaObject): boolean {
  if ('required' in schema) return true;
  return (['allOf', 'anyOf', 'oneOf'] as const)
    .flatMap((key) => membersOf(schema, key))
    .some((each) => typeof each !== 'boolean' && hasRequired(each));
}
