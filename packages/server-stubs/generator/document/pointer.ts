import { isObject } from './json.ts';

/** A JSON Pointer as URI fragment, unescaped but for `~0` and `~1`: `#/paths/~1pets/get`. */
export type Pointer = string;

/**
 * The pointer of a member.
 *
 * @example
 * join('#/paths', '/pets', 'get'); // '#/paths/~1pets/get'
 */
export function join(pointer: Pointer, ...names: (string | number)[]): Pointer {
  return [pointer, ...names.map((name) => escapeName(String(name)))].join('/');
}

/** The names on the way from the root: `['paths', '/pets', 'get']`. */
export function toNames(pointer: Pointer): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What stands at a pointer; `undefined` where nothing does. */
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
