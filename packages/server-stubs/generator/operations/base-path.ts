import { entriesOf, isObject, toList, toText } from '../document/json.ts';

/**
 * The path of the first server of a list, without a slash at its end; variables take their defaults.
 *
 * @returns `undefined` where there is no list, so that the servers one level up hold
 *
 * @example
 * toBasePath([{ url: 'https://api.example/{v}', variables: { v: { default: 'v1' } } }]); // '/v1'
 */
export function toBasePath(servers: unknown): string | undefined {
  const [server] = toList(servers);
  if (!isObject(server)) return undefined;
  let url = toText(server.url) ?? '/';
  for (const [name, variable] of entriesOf(server.variables)) {
    const value = isObject(variable) ? toText(variable.default) : undefined;
    if (value !== undefined) url = url.replaceAll(`{${name}}`, value);
  }
  const path = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  return trim(path);
}

/** Paths of the other servers of a list, where they differ from that of the first. */
export function otherBasePaths(servers: unknown): string[] {
  const paths = toList(servers).map((server) => toBasePath([server]) ?? '');
  return [...new Set(paths)].slice(1).map((path) => path || '/');
}

/** A path with one slash at its start and none at its end; empty for the root. */
export function trim(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}
