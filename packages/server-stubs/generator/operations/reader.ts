import { follow, type Located, type Pointer, type Problems, Unusable } from '../document.ts';

import type { SchemaContext } from '../schema/normalise.ts';
import type { Schema } from '../schema/schema.ts';
import { SchemaStore } from '../schema/schema-store.ts';

/** State shared by all functions that read parts of a document. */
export class Reader {
  readonly document: unknown;
  readonly problems: Problems;
  readonly store: SchemaStore;

  constructor(context: SchemaContext) {
    this.document = context.document;
    this.problems = context.problems;
    this.store = new SchemaStore(context);
  }

  /**
   * The object at a pointer, or the target of its `$ref`.
   *
   * @throws Unusable if there is none
   */
  follow(value: unknown, pointer: Pointer): Located {
    return follow(this.document, value, pointer);
  }

  schema(pointer: Pointer): Schema {
    return this.store.get(pointer);
  }

  /** @throws Unusable */
  refuse(pointer: Pointer, message: string): never {
    throw new Unusable(pointer, message);
  }

  warn(pointer: Pointer, message: string): void {
    this.problems.warn(pointer, message);
  }

  note(pointer: Pointer, message: string): void {
    this.problems.note(pointer, message);
  }

  attempt<Part>(consequence: string, read: () => Part): Part | undefined {
    return this.problems.attempt(consequence, read);
  }
}
