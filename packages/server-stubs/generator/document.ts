import { escapeName, toNames } from '../src/runtime/faults.ts';

export type JsonObject = { [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The methods of a path item, in the order in which operations are read. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** A JSON Pointer as a URI fragment, with no escapes except `~0` and `~1`: `#/paths/~1pets/get`. */
export type Pointer = string;

/** @example join('#/paths', '/pets', 'get'); // '#/paths/~1pets/get' */
export function join(pointer: Pointer, ...names: (string | number)[]): Pointer {
  return [pointer, ...names.map((name) => escapeName(String(name)))].join('/');
}

/** An object in the document and its pointer, with all references resolved. */
export interface Located {
  readonly value: JsonObject;
  readonly pointer: Pointer;
}

/** Follows the references of an OpenAPI object, which loading has checked. */
export function follow(document: JsonObject, value: unknown, pointer: Pointer): Located {
  if (!isObject(value)) return { value: {}, pointer };
  if (typeof value.$ref !== 'string') return { value, pointer };
  return follow(document, targetOf(document, value), toPointer(value.$ref));
}

/** What a `$ref` refers to, or `undefined` if it is not in this document. */
export function targetOf(document: unknown, { $ref }: JsonObject): unknown {
  if (typeof $ref !== 'string' || !/^#(?:\/|$)/.test($ref)) return undefined;
  let value = document;
  for (const name of toNames(toPointer($ref))) {
    const isKnown = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    value = isKnown ? (value as JsonObject)[name] : undefined;
  }
  return value;
}

export function toReference(pointer: Pointer): { readonly $ref: string } {
  return { $ref: encodeURI(pointer.toWellFormed()) };
}

export function toPointer(reference: string): Pointer {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** Something in a document that is invalid, not checked or not served. */
export interface Problem {
  /** The place of the pointer in its file: `openapi.yaml:3:5`. */
  readonly place: string;
  readonly pointer: Pointer;
  /** What is wrong, and how to fix it. */
  readonly message: string;
}

/** With errors, nothing is generated. Warnings report what is not checked or not served. */
export class Problems {
  readonly errors: Problem[] = [];
  readonly warnings: Problem[];
  readonly #locate: (pointer: Pointer) => string;

  constructor(locate: (pointer: Pointer) => string, warnings: readonly Problem[] = []) {
    this.#locate = locate;
    this.warnings = [...warnings];
  }

  error(pointer: Pointer, message: string): void {
    this.#add(this.errors, pointer, message);
  }

  warn(pointer: Pointer, message: string): void {
    this.#add(this.warnings, pointer, message);
  }

  // A component is read once for each reference to it.
  #add(list: Problem[], pointer: Pointer, message: string): void {
    if (list.some((each) => each.pointer === pointer && each.message === message)) return;
    list.push({ place: this.#locate(pointer), pointer, message });
  }
}

/** The message for what readers of schemas, which are recursive, end with a `RangeError`. */
export const TOO_DEEP = 'Its references lead too deep. Limit chains of schemas to some hundred.';

/** The document is invalid, or has warnings that count as errors. Nothing was written. */
export class InvalidDocumentError extends Error {
  override readonly name = 'InvalidDocumentError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(
      problems.map(({ place, pointer, message }) => `${place} ${pointer}\n  ${message}`).join('\n'),
    );
    this.problems = problems;
  }
}
