import { entriesOf, Invalid, isObject, join, type Pointer, toList, toText } from '../document.ts';
import type { ParameterModel } from './model.ts';

/** Returns the names of the parameters in a path. */
export function readPath(path: string, pointer: Pointer): string[] {
  if (!path.startsWith('/')) throw new Invalid(pointer, 'A path must start with a slash.');
  if (/[?#]/.test(path)) {
    throw new Invalid(pointer, 'A path has no query and no fragment. Declare parameters instead.');
  }
  if (/[{}]/.test(path.replace(/\{[^{}]*\}/g, ''))) {
    throw new Invalid(pointer, 'The path has an unmatched brace. Write placeholders as {name}.');
  }
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Invalid(pointer, `The path has {${twice}} twice.`);
  return names;
}

/** Checks that the path and the declared parameters have the same names. */
export function checkPathParameters(
  names: readonly string[],
  parameters: readonly ParameterModel[],
  pointer: Pointer,
): void {
  const declared = parameters.filter(({ parameter }) => parameter.in === 'path');
  for (const { parameter, pointer: at } of declared) {
    if (names.includes(parameter.name)) continue;
    throw new Invalid(at, `The path has no {${parameter.name}}. Add it, or remove the parameter.`);
  }
  const missing = names.find((name) => !declared.some(({ parameter }) => parameter.name === name));
  if (missing === undefined) return;
  throw new Invalid(
    pointer,
    `{${missing}} has no parameter. Add one with in: path, name: ${missing}, required: true.`,
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

/** `undefined` without a list, in which case the servers one level up apply. */
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

export function otherBasePaths(servers: unknown): string[] {
  const paths = toList(servers).map((server) => toBasePath([server]) ?? '');
  return [...new Set(paths)].slice(1).map((path) => path || '/');
}

export function trim(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}
