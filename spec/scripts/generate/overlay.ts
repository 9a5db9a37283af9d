import { isDeepStrictEqual } from 'node:util';
import { type Names, rename } from './rename.ts';

type Action = { target: string; remove?: true; update?: unknown };
type Json = Record<string, unknown>;

/**
 * An OpenAPI Overlay 1.0 that puts the names of a wire profile into a bundled document.
 *
 * An update merges objects and appends to arrays, so what has a renamed key, and each array that
 * changes, is removed and written anew as a whole.
 */
export function toOverlay(title: string, document: object, names: Names) {
  const actions = toActions('$', document as Json, rename(document, names) as Json);
  return { overlay: '1.0.0', info: { title, version: '1.0.0' }, actions };
}

function toActions(target: string, before: Json, after: Json): Action[] {
  return Object.keys(before).flatMap((key) => {
    const [old, value] = [before[key], after[key]];
    if (isDeepStrictEqual(old, value)) return [];
    if (isJson(old) && isJson(value) && haveSameKeys(old, value)) {
      return toActions(`${target}['${key.replaceAll("'", "\\'")}']`, old, value);
    }
    const update = { target, update: { [key]: value } };
    if (typeof old !== 'object') return [update];
    return [{ target: `${target}['${key}']`, remove: true as const }, update];
  });
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function haveSameKeys(before: Json, after: Json): boolean {
  return isDeepStrictEqual(Object.keys(before), Object.keys(after));
}
