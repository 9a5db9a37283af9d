import { decodeText, encodeText, escapeName, toNames } from '../src/runtime/portable/encoding.ts';

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

/** Every value reachable from these, once. Not recursive, because a chain may be longer than the stack. */
export function reachable<Value>(
  start: Iterable<Value>,
  next: (value: Value) => Iterable<Value>,
): Set<Value> {
  const found = new Set(start);
  // The loop also visits values that are added during it.
  for (const value of found) for (const reached of next(value)) found.add(reached);
  return found;
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
  return decodeText(encodeText(reference)) ?? reference;
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
