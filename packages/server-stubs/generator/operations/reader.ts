import { follow, type Located, type Pointer, type Problems } from '../document.ts';

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
   * Returns the object at a pointer, or the target of its `$ref`. Reports a refusal and returns `undefined` if there is none.
   */
  follow(value: unknown, pointer: Pointer): Located | undefined {
    return follow(this.document, value, pointer, this.problems);
  }

  schema(pointer: Pointer): Schema {
    return this.store.get(pointer);
  }

  refuse(pointer: Pointer, message: string): void {
    this.problems.refuse(pointer, message);
  }

  note(pointer: Pointer, message: string): void {
    this.problems.note(pointer, message);
  }
}
