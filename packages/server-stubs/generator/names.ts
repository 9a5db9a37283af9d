export const FILES = {
  requests: 'request-validators.gen.ts',
  responses: 'response-validators.gen.ts',
  routes: 'routes.gen.ts',
  index: 'index.gen.ts',
  types: 'types.gen.ts',
  security: 'security.ts',
} as const;

/** Names that are unique, ignoring case. */
export class Names {
  readonly #taken = new Set<string>();

  /** Returns the preferred name, or else the first free one of `Name2`, `Name3`, …. */
  take(preferred: string): string {
    let name = preferred;
    for (let count = 2; this.#taken.has(name.toLowerCase()); count += 1) {
      name = `${preferred}${count}`;
    }
    this.#taken.add(name.toLowerCase());
    return name;
  }
}

/** @example toTypeName('cloudrun-get-root'); // 'CloudrunGetRoot' */
export function toTypeName(text: string): string {
  const words = text.split(/[^\p{ID_Continue}]+/u).filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\p{ID_Start}/u.test(name) ? name : `T${name}`;
}

export function toVariableName(text: string): string {
  return toTypeName(text).replace(/^./u, (letter) => letter.toLowerCase());
}

export function toKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : toLiteral(name);
}

/** All text from a document passes through here into source code, except for types and comments. */
export function toLiteral(value: unknown): string {
  const text = JSON.stringify(value);
  if (typeof value !== 'string') return text;
  return `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
