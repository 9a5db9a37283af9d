import { entriesOf, isObject, join, type Pointer, toList, toText } from '../document.ts';
import type { ParameterModel } from './model.ts';
import type { Reader } from './reader.ts';

/** A path in the document, without wildcards. */
interface PathTemplate {
  /** `/files/{path}` */
  readonly path: string;
  /** Names that are written as `{path+}` or `{path*}`. */
  readonly greedy: ReadonlySet<string>;
  readonly names: readonly string[];
}

/** Parses a path template. Refuses templates that no request can match. */
export function readPath(text: string, pointer: Pointer, reader: Reader): PathTemplate | undefined {
  if (!text.startsWith('/') || /[?#]/.test(text)) {
    reader.refuse(
      pointer,
      'A path must start with a slash and must not contain a query or a fragment. Declare query parameters instead.',
    );
    return undefined;
  }
  const greedy = new Set<string>();
  const names: string[] = [];
  const path = text.replace(/\{([^{}]*?)([+*]?)\}/g, (_, name: string, wildcard: string) => {
    names.push(name);
    if (wildcard !== '') greedy.add(name);
    return `{${name}}`;
  });
  if (/[{}]/.test(path.replace(/\{[^{}]*\}/g, ''))) {
    reader.refuse(pointer, 'The path has an unmatched brace. Write placeholders as {name}.');
    return undefined;
  }
  if (new Set(names).size < names.length) {
    reader.refuse(pointer, 'The path uses a name twice. Give each placeholder its own name.');
    return undefined;
  }
  return { path, greedy, names };
}

/** Checks the path parameters against the template, and marks the greedy ones. */
export function matchParameters(
  template: PathTemplate,
  parameters: readonly ParameterModel[],
  pointer: Pointer,
  reader: Reader,
): ParameterModel[] {
  const inPath = parameters.filter(({ parameter }) => parameter.in === 'path');
  for (const name of template.names) {
    if (inPath.some(({ parameter }) => parameter.name === name)) continue;
    reader.refuse(
      pointer,
      `{${name}} is not declared. Add a parameter with in: path, name: ${name}, required: true.`,
    );
  }
  for (const { parameter, pointer: at } of inPath) {
    if (template.names.includes(parameter.name)) continue;
    reader.refuse(
      at,
      `The path has no {${parameter.name}} placeholder. Add it, or remove the parameter.`,
    );
  }
  return parameters.map((each) =>
    each.parameter.in === 'path' && template.greedy.has(each.parameter.name)
      ? { ...each, parameter: { ...each.parameter, greedy: true } }
      : each,
  );
}

export function toOperationId(method: string, path: string): string {
  const words = `${method} ${path}`.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return words
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join('');
}

export function pathPointer(text: string): Pointer {
  return join('#/paths', text);
}

/**
 * Returns the path of the first server in a list, without a trailing slash. Variables get their
 * defaults.
 *
 * @returns `undefined` without a list, in which case the servers one level up apply
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

/** Returns the paths of the other servers in a list, if they differ from the first one's. */
export function otherBasePaths(servers: unknown): string[] {
  const paths = toList(servers).map((server) => toBasePath([server]) ?? '');
  return [...new Set(paths)].slice(1).map((path) => path || '/');
}

/** Returns a path with a leading slash and no trailing one; empty for the root. */
export function trim(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}
