import { type Pointer, valueAt } from '../document/pointer.ts';
import { checkSchema } from './check-schema.ts';
import { isCircular } from './is-circular.ts';
import { normalise, type SchemaContext } from './normalise.ts';
import type { Schema, SchemaObject } from './schema.ts';

/** The schemas of one document, normalised when first asked for. */
export class SchemaStore {
  readonly #context: SchemaContext;
  readonly #schemas = new Map<Pointer, Schema>();

  constructor(context: SchemaContext) {
    this.#context = context;
  }

  get(pointer: Pointer): Schema {
    const known = this.#schemas.get(pointer);
    if (known !== undefined) return known;
    const schema = normalise(valueAt(this.#context.document, pointer), pointer, this.#context);
    this.#schemas.set(pointer, schema);
    checkSchema(schema, pointer, this.#context.problems);
    if (isCircular(pointer, (each) => this.get(each))) {
      this.#context.problems.refuse(
        pointer,
        'This schema leads back to itself without a property or an item between. Break the circle.',
      );
    }
    return schema;
  }

  /** The schema behind a chain of `$ref`s with nothing beside them; `true` where it has no end. */
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

/** A schema that is nothing but a `$ref`, save annotations. */
export function isPlainReference(schema: Schema): schema is SchemaObject & { $ref: Pointer } {
  if (typeof schema === 'boolean' || schema.$ref === undefined) return false;
  return Object.keys(schema).every((key) => key === '$ref' || ANNOTATIONS.has(key));
}

/** Keywords that say nothing of what is valid. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'summary',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'example',
  'examples',
  'externalDocs',
  'xml',
  '$comment',
  '$schema',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'discriminator',
  'nullable',
]);
