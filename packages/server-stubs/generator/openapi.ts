import { escapeName, toNames } from '../src/runtime/portable/encoding.ts';

export type JsonObject = { [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(asObject(value));
}

export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A JSON Pointer as a URI fragment, with no escapes except `~0` and `~1`: `#/paths/~1pets/get`. */
export type Pointer = string;

export function join(pointer: Pointer, ...names: string[]): Pointer {
  return [pointer, ...names.map(escapeName)].join('/');
}

export function toReference(pointer: Pointer): string {
  return encodeURI(pointer.toWellFormed());
}

export function toPointer(reference: string): Pointer {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** What a `$ref` refers to, or `undefined` if it is not in this document. */
export function targetOf(root: unknown, { $ref }: JsonObject): unknown {
  if (typeof $ref !== 'string' || !/^#(?:\/|$)/.test($ref)) return undefined;
  return toNames(toPointer($ref)).reduce((value, name) => {
    return Object.hasOwn(Object(value), name) ? (value as JsonObject)[name] : undefined;
  }, root);
}

/** Follows the references of an OpenAPI object, which loading has checked. */
export function follow(root: JsonObject, value: unknown): JsonObject {
  const object = asObject(value);
  return typeof object.$ref === 'string' ? follow(root, targetOf(root, object)) : object;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The operations of a document whose path items contain no references. */
export function operationsOf(root: JsonObject) {
  return entriesOf(root.paths).flatMap(([path, value]) => {
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
  /** The files that were read. Empty for a parsed document. */
  readonly files: readonly string[];
  /** What is not checked or not served. */
  readonly warnings: Problem[];
  readonly #locate: Locate;
  readonly #pointers = new Map<unknown, Pointer>();

  constructor(root: JsonObject, files: readonly string[], warnings: Problem[], locate: Locate) {
    this.root = root;
    this.files = files;
    this.warnings = warnings;
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
    return join(this.#pointers.get(object) ?? '#', ...names);
  }

  toProblem(pointer: Pointer, message: string): Problem {
    return { location: this.#locate(pointer), pointer, message };
  }

  warn(pointer: Pointer, message: string): void {
    // A component is read once for each reference to it.
    if (this.warnings.some((known) => known.pointer === pointer && known.message === message))
      return;
    this.warnings.push(this.toProblem(pointer, message));
  }
}
