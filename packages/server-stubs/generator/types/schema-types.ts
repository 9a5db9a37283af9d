import { isObject, type Pointer } from '../document.ts';

import type { Names } from '../names.ts';
import { type Schema, visitSubschemas } from '../schema/schema.ts';
import {
  type Direction,
  hiddenProperties,
  type SchemaNames,
  type SchemaStore,
} from '../schema/schema-store.ts';

import { toComment, toType } from './type-writer.ts';

/** Targets of `$ref`s get named types on demand, in two variants if requests and responses differ. */
export class SchemaTypes {
  readonly #store: SchemaStore;
  readonly #names: SchemaNames;
  readonly #free: Names;
  readonly #declarations = new Map<string, string>();
  readonly #requestNames = new Map<Pointer, string>();
  readonly #differs = new Map<Pointer, boolean>();

  constructor(store: SchemaStore, names: SchemaNames, free: Names) {
    this.#store = store;
    this.#names = names;
    this.#free = free;
  }

  get declarations(): ReadonlyMap<string, string> {
    return this.#declarations;
  }

  toType(schema: Schema, direction: Direction): string {
    const toName = (pointer: Pointer) => this.#declare(pointer, direction);
    return toType(schema, { store: this.#store, direction, toName });
  }

  #declare(pointer: Pointer, direction: Direction): string {
    const name = this.#nameOf(pointer, direction);
    if (!this.#declarations.has(name)) {
      this.#declarations.set(name, '');
      const schema = this.#store.get(pointer);
      const text = `${toComment(schema)}export type ${name} = ${this.toType(schema, direction)};`;
      this.#declarations.set(name, text);
    }
    return name;
  }

  #nameOf(pointer: Pointer, direction: Direction): string {
    const name = this.#names.of(pointer);
    if (direction === 'response' || !this.#hasVariants(pointer)) return name;
    const known = this.#requestNames.get(pointer) ?? this.#free.take(`${name}Request`);
    this.#requestNames.set(pointer, known);
    return known;
  }

  #hasVariants(pointer: Pointer): boolean {
    const known = this.#differs.get(pointer);
    if (known !== undefined) return known;
    const reached = new Set<Pointer>();
    const hides = this.#hides(this.#store.get(pointer), reached);
    this.#differs.set(pointer, hides);
    return hides;
  }

  #hides(schema: Schema, reached: Set<Pointer>): boolean {
    if (!isObject(schema)) return false;
    for (const direction of ['request', 'response'] as const) {
      if (hiddenProperties(schema, direction, this.#store).size > 0) return true;
    }
    let hides = false;
    if (schema.$ref !== undefined && !reached.has(schema.$ref)) {
      reached.add(schema.$ref);
      hides = this.#hides(this.#store.get(schema.$ref), reached);
    }
    visitSubschemas(schema, '#', (each) => {
      hides ||= this.#hides(each, reached);
    });
    return hides;
  }
}
