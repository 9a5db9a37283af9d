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

export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A JSON Pointer as a URI fragment, with no escapes except `~0` and `~1`: `#/paths/~1pets/get`. */
export type Pointer = string;

/** @example join('#/paths', '/pets', 'get'); // '#/paths/~1pets/get' */
export function join(pointer: Pointer, ...names: (string | number)[]): Pointer {
  return [
    pointer,
    ...names.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1')),
  ].join('/');
}

/** Returns the path from the root: `['paths', '/pets', 'get']`. */
export function toNames(pointer: Pointer): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
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

/** Something in a document that is invalid, not checked, or that users should know about. */
export interface Problem {
  readonly pointer: Pointer;
  /** What is wrong, and how to fix it. */
  readonly message: string;
}

/** A part of a document is invalid. */
export class Invalid extends Error {
  override readonly name = 'Invalid';
  readonly pointer: Pointer;

  constructor(pointer: Pointer, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** With errors, nothing is generated. Warnings report what is not checked or not served. */
export class Problems {
  readonly errors: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #seen = new Set<string>();

  error(pointer: Pointer, message: string): void {
    this.#add(this.errors, pointer, message);
  }

  warn(pointer: Pointer, message: string): void {
    this.#add(this.warnings, pointer, message);
  }

  /** Reads a part of the document, and continues with the others if it is invalid. */
  attempt<Part>(read: () => Part): Part | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      this.error(error.pointer, error.message);
      return undefined;
    }
  }

  // A component is read once for each reference to it.
  #add(list: Problem[], pointer: Pointer, message: string): void {
    const key = `${pointer} ${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    list.push({ pointer, message });
  }
}

/** The document is invalid, or has warnings that count as errors. Nothing was written. */
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

/** @throws Invalid if the reference is a URL or its target does not exist */
export function toTarget(document: unknown, ref: unknown, pointer: Pointer): Pointer {
  const text = JSON.stringify(ref);
  const target = typeof ref === 'string' ? find(document, ref, pointer) : undefined;
  if (target !== undefined) return target;
  throw new Invalid(
    pointer,
    /^"https?:/i.test(text)
      ? `$ref ${text} is a URL, which is not loaded. Save it as a file next to the document.`
      : `$ref ${text} points to a target that does not exist. Correct it, or add the target.`,
  );
}

function find(document: unknown, ref: string, pointer: Pointer): Pointer | undefined {
  const decoded = decode(ref);
  if (decoded === undefined) return undefined;
  if (decoded === '#' || (decoded.startsWith('#/') && valueAt(document, decoded) !== undefined)) {
    return decoded;
  }
  const addresses = addressesOf(document);
  const address = addresses.get(decoded);
  if (address !== undefined) return address;
  const hash = decoded.indexOf('#');
  const id = hash < 0 ? decoded : decoded.slice(0, hash);
  // Without an ID, the pointer is one into the schema around it that has an ID.
  const base = id === '' ? findResource(document, pointer) : addresses.get(id);
  const target = base === undefined ? undefined : `${base}${decoded.slice(hash + 1)}`;
  return target === undefined || valueAt(document, target) === undefined ? undefined : target;
}

function findResource(document: unknown, pointer: Pointer): Pointer | undefined {
  for (let at = pointer; at.includes('/'); at = at.slice(0, at.lastIndexOf('/'))) {
    const value = valueAt(document, at);
    if (isObject(value) && typeof value.$id === 'string') return at;
  }
  return undefined;
}

/** By `$id`, and by `#` and the name of an anchor. */
type Addresses = Map<string, Pointer>;

const known = new WeakMap<object, Addresses>();

function addressesOf(document: unknown): Addresses {
  if (!isObject(document)) return new Map();
  const addresses = known.get(document) ?? new Map();
  if (!known.has(document)) {
    known.set(document, addresses);
    collect(document, '#', addresses);
  }
  return addresses;
}

function collect(value: unknown, pointer: Pointer, addresses: Addresses): void {
  if (typeof value !== 'object' || value === null) return;
  const { $id, $anchor } = value as JsonObject;
  if (typeof $id === 'string') addresses.set($id, pointer);
  if (typeof $anchor === 'string') addresses.set(`#${$anchor}`, pointer);
  for (const [name, each] of Object.entries(value)) collect(each, join(pointer, name), addresses);
}

/** Follows the `$ref`s of an OpenAPI object, not of a schema. */
export function follow(document: unknown, value: unknown, pointer: Pointer): Located {
  const visited = new Set<Pointer>();
  let here: { value: unknown; pointer: Pointer } = { value, pointer };
  while (isObject(here.value) && '$ref' in here.value) {
    const target = toTarget(document, here.value.$ref, here.pointer);
    if (visited.has(target)) {
      throw new Invalid(pointer, `$ref ${target} refers to itself. Replace it with a value.`);
    }
    visited.add(target);
    here = { value: valueAt(document, target), pointer: target };
  }
  if (isObject(here.value)) return { value: here.value, pointer: here.pointer };
  throw new Invalid(here.pointer, 'Expected an object.');
}

export function decode(ref: string): string | undefined {
  try {
    return decodeURIComponent(ref);
  } catch {
    return undefined;
  }
}
