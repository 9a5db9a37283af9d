import type { Pointer } from '../document/pointer.ts';
import type { Direction } from '../schema/direction.ts';
import type { Schema } from '../schema/schema.ts';
import type { SchemaNames } from '../schema/schema-names.ts';
import type { SchemaStore } from '../schema/schema-store.ts';
import { toValidatable } from './to-validatable.ts';

/** A schema as Ajv gets it, and where it stands in the document. */
export interface ValidatableSchema {
  readonly id: string;
  readonly pointer: Pointer;
  readonly schema: Schema;
}

/**
 * Schemas for Ajv in one direction. Each target of a `$ref` is a schema of its own, so that it is
 * compiled once, however many refer to it.
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

  /** The targets of all that has been lowered so far, those of the targets themselves among them. */
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

  /** Ids are read as URIs. */
  #toId(pointer: Pointer): string {
    return encodeURIComponent(this.#names.of(pointer)).replaceAll('%', '_');
  }
}
