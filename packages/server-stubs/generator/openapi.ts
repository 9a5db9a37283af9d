import { asObject, entriesOf, isObject, type JsonObject, join, type Pointer } from './json.ts';
import { createSchemaReader } from './subschemas.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The operations of a document whose path items contain no references, without extensions. */
export function operationsOf(root: JsonObject) {
  const paths = entriesOf(root.paths).filter(([path]) => !path.startsWith('x-'));
  return paths.flatMap(([path, value]) => {
    const item = asObject(value);
    const methods = METHODS.filter((method) => isObject(item[method]));
    return methods.map((method) => ({ path, item, method, operation: item[method] as JsonObject }));
  });
}

/** Something in a document that is invalid, not checked or not served. */
export interface Problem {
  /** File, line and column of the pointer: `openapi.yaml:3:5`. */
  readonly location: string;
  readonly pointer: Pointer;
  /** What is wrong, and how to fix it. */
  readonly message: string;
}

export function toText({ location, pointer, message }: Problem): string {
  return `${location} ${pointer}\n  ${message}`;
}

/** The document is invalid, or has warnings that count as errors. Nothing was written. */
export class InvalidDocumentError extends Error {
  override readonly name = 'InvalidDocumentError';
  readonly problems: readonly Problem[];

  /** @param problems empty if the file cannot be read, which the message then says */
  constructor(problems: readonly Problem[], message = problems.map(toText).join('\n')) {
    super(message);
    this.problems = problems;
  }
}

/** Schemas are read recursively, which overflows the stack if a chain of references is too long. */
export const TOO_DEEP =
  'The schemas refer to each other too deeply. Keep chains of references below a few hundred.';

type Locate = (pointer: Pointer) => string;

/** A document in OpenAPI 3.1, with the locations of its objects and the problems found in them. */
export class OpenApiDocument {
  readonly root: JsonObject;
  readonly reader: ReturnType<typeof createSchemaReader>;
  /** By their texts, because a component is read once for each reference to it. */
  readonly #warnings: Map<string, Problem>;
  readonly #locate: Locate;
  readonly #pointers = new Map<unknown, Pointer>();

  constructor(root: JsonObject, warnings: Problem[], locate: Locate) {
    this.root = root;
    this.reader = createSchemaReader(root);
    this.#warnings = new Map(warnings.map((warning) => [toText(warning), warning]));
    this.#locate = locate;
    this.#addPointers(root, '#');
  }

  #addPointers(value: unknown, pointer: Pointer): void {
    if (typeof value !== 'object' || value === null || this.#pointers.has(value)) return;
    this.#pointers.set(value, pointer);
    for (const [key, item] of Object.entries(value)) this.#addPointers(item, join(pointer, key));
  }

  /** A pointer to what is in an object of this document, or to the object itself. */
  pointerTo(object: unknown, ...names: string[]): Pointer {
    const pointer = this.#pointers.get(object);
    if (pointer === undefined) throw new Error('This object is not in the document.');
    return join(pointer, ...names);
  }

  toProblem(pointer: Pointer, message: string): Problem {
    return { location: this.#locate(pointer), pointer, message };
  }

  warn(pointer: Pointer, message: string): void {
    const problem = this.toProblem(pointer, message);
    this.#warnings.set(toText(problem), problem);
  }

  /** What is not checked or not served. */
  get warnings(): Problem[] {
    return [...this.#warnings.values()];
  }
}
