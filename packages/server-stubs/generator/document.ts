export type JsonObject = { [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the entries of an object, and none for any other value. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A JSON Pointer as a URI fragment, with no escapes except `~0` and `~1`: `#/paths/~1pets/get`. */
export type Pointer = string;

/**
 * Returns the pointer to a member.
 *
 * @example
 * join('#/paths', '/pets', 'get'); // '#/paths/~1pets/get'
 */
export function join(pointer: Pointer, ...names: (string | number)[]): Pointer {
  return [pointer, ...names.map((name) => escapeName(String(name)))].join('/');
}

/** Returns the path from the root: `['paths', '/pets', 'get']`. */
export function toNames(pointer: Pointer): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the value at a pointer; `undefined` if there is none. */
export function valueAt(document: unknown, pointer: Pointer): unknown {
  let value = document;
  for (const name of toNames(pointer)) {
    if (Array.isArray(value)) value = value[Number(name)];
    else if (isObject(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value;
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A problem with a document: something that cannot be generated, or that users should know about. */
export interface Problem {
  readonly pointer: Pointer;
  /** What is wrong, and how to fix it. */
  readonly message: string;
}

/**
 * Collects the problems in a document. Refusals are reported together. Notes explain where the generated
 * code may surprise.
 */
export class Problems {
  readonly refusals: Problem[] = [];
  readonly notes: Problem[] = [];
  readonly #seen = new Set<string>();

  refuse(pointer: Pointer, message: string): void {
    this.#add(this.refusals, pointer, message);
  }

  note(pointer: Pointer, message: string): void {
    this.#add(this.notes, pointer, message);
  }

  /** @throws RefusedError if anything was refused */
  assertNone(): void {
    if (this.refusals.length > 0) throw new RefusedError(this.refusals);
  }

  // A component is read once for each reference to it.
  #add(list: Problem[], pointer: Pointer, message: string): void {
    const key = `${pointer} ${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    list.push({ pointer, message });
  }
}

/** Thrown if the document contains something that cannot be generated. Nothing was written. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ pointer, message }) => `${pointer}\n  ${message}`).join('\n'));
    this.problems = problems;
  }
}

/** An object in the document and its pointer, with all references resolved. */
export interface Located {
  readonly value: JsonObject;
  readonly pointer: Pointer;
}

/**
 * Returns the pointer to the target of a `$ref`.
 *
 * @returns `undefined` after reporting a refusal, if it points outside the document or to nothing
 */
export function toTarget(
  document: unknown,
  ref: unknown,
  pointer: Pointer,
  problems: Problems,
): Pointer | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#')) {
    problems.refuse(
      pointer,
      `$ref ${JSON.stringify(ref)} points outside the document. Bundle the files first: npx @redocly/cli bundle openapi.yaml -o bundled.yaml.`,
    );
    return undefined;
  }
  const target = decode(ref);
  if (target === undefined || (target !== '#' && !target.startsWith('#/'))) {
    problems.refuse(
      pointer,
      `$ref ${JSON.stringify(ref)} is not a JSON Pointer. Write it as #/components/….`,
    );
    return undefined;
  }
  if (toNames(target).length > 0 && valueAt(document, target) === undefined) {
    problems.refuse(
      pointer,
      `$ref ${JSON.stringify(ref)} points to nothing. Fix it, or add its target.`,
    );
    return undefined;
  }
  return target;
}

/** Follows the `$ref`s of an OpenAPI object (other than a schema) to the object itself. */
export function follow(
  document: unknown,
  value: unknown,
  pointer: Pointer,
  problems: Problems,
): Located | undefined {
  const visited = new Set<Pointer>();
  let here: { value: unknown; pointer: Pointer } = { value, pointer };
  while (isObject(here.value) && '$ref' in here.value) {
    const target = toTarget(document, here.value.$ref, here.pointer, problems);
    if (target === undefined) return undefined;
    if (visited.has(target)) {
      problems.refuse(pointer, `$ref ${target} refers to itself. Replace it with a value.`);
      return undefined;
    }
    visited.add(target);
    here = { value: valueAt(document, target), pointer: target };
  }
  if (isObject(here.value)) return { value: here.value, pointer: here.pointer };
  problems.refuse(here.pointer, 'Expected an object.');
  return undefined;
}

/** Decodes percent-encoding in a reference; returns `undefined` if the encoding is invalid. */
export function decode(ref: string): string | undefined {
  try {
    return decodeURIComponent(ref);
  } catch {
    return undefined;
  }
}
