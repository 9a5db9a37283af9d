import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

type Json = Record<string, unknown>;

/** Maps neutral names to those that a deployment uses instead (D1). */
type Names = ReadonlyMap<string, string>;

/** Reads `overlays/<name>.json`. */
export async function readProfile(name: string): Promise<Json> {
  return JSON.parse(
    await readFile(new URL(`../../overlays/${name}.json`, import.meta.url), 'utf8'),
  );
}

/** Maps the names in `from` to those in `to`, except for names that are the same in both. */
export function toNames({ name, ...from }: Json, to: Json): Names {
  const pairs = Object.entries(from).flatMap(([key, value]): [string, string][] => {
    const other = to[key];
    if (isJson(value) && isJson(other)) return [...toNames(value, other)];
    return value === other ? [] : [[String(value), String(other)]];
  });
  return new Map(pairs);
}

/** Replaces each name in the keys of `value` and, as a separate word, in its strings. */
export function rename(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return renameText(value, names);
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [names.get(key) ?? key, rename(item, names)]),
  );
}

function renameText(text: string, names: Names): string {
  const words = [...names.keys()].map((name) => name.replace(/[^\w-]/g, '\\$&')).join('|');
  return text.replace(new RegExp(`(?<![\\w-])(${words})(?![\\w-])`, 'g'), (name) => {
    return names.get(name) ?? name;
  });
}

type Action = { target: string; remove?: true; update?: unknown };

/**
 * Creates an OpenAPI Overlay 1.0 that applies a wire profile's names to a bundled document.
 *
 * Updates in an overlay merge objects and append to arrays, so objects with a renamed key and changed
 * arrays are removed and written again.
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
