import { escapeName, toNames } from '../src/runtime/faults.ts';

export type JsonObject = { [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

export function mapValues(
  value: unknown,
  change: (value: unknown, key: string) => unknown,
): JsonObject {
  return Object.fromEntries(entriesOf(value).map(([key, each]) => [key, change(each, key)]));
}

export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The methods of a path item, in the order in which operations are read. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** A JSON Pointer as a URI fragment, with no escapes except `~0` and `~1`: `#/paths/~1pets/get`. */
export type Pointer = string;

/** @example join('#/paths', '/pets', 'get'); // '#/paths/~1pets/get' */
export function join(pointer: Pointer, ...names: (string | number)[]): Pointer {
  return [pointer, ...names.map((name) => escapeName(String(name)))].join('/');
}

export function valueAt(document: unknown, pointer: Pointer): unknown {
  let value = document;
  for (const name of toNames(pointer)) {
    if (Array.isArray(value)) value = value[Number(name)];
    else if (isObject(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value;
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
  const target = decodeReference(value.$ref);
  return follow(document, valueAt(document, target), target);
}

export function toReference(pointer: Pointer): string {
  return encodeURI(pointer.toWellFormed());
}

export function decodeReference(reference: string): Pointer {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** The place of a pointer in a file: `openapi.yaml:3:5`. */
export type Locate = (pointer: Pointer) => string;

/** Something in a document that is invalid, not checked or not served. */
export interface Problem {
  readonly place: string;
  readonly pointer: Pointer;
  /** What is wrong, and how to fix it. */
  readonly message: string;
}

/** With errors, nothing is generated. Warnings report what is not checked or not served. */
export class Problems {
  readonly errors: Problem[] = [];
  readonly warnings: Problem[];
  readonly #seen = new Set<string>();
  readonly #locate: Locate;

  constructor(locate: Locate, warnings: readonly Problem[] = []) {
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
    const key = `${pointer} ${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
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
