import { type Pointer, toNames } from '../document/pointer.ts';
import { type Names, toTypeName } from '../names.ts';

/** The names by which generated types and error paths call the targets of `$ref`s. */
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
