import { entriesOf, isObject, join, type Pointer, toList, toText, Unusable } from '../document.ts';
import type { SchemaStore } from '../schema/schema-store.ts';
import type { ParameterModel } from './model.ts';

type PathTemplate = ReturnType<typeof readPath>;

/**
 * Many documents have a fragment or a query in paths, to give a path to each of several operations: a query
 * distinguishes requests, a fragment does not.
 */
export function readPath(text: string, pointer: Pointer, store: SchemaStore) {
  const [, written = '', search, fragment] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(text) ?? [];
  if (fragment !== undefined) {
    store.problems.warn(
      pointer,
      'The fragment is removed from the path, because requests have none.',
    );
  }
  if (!written.startsWith('/')) {
    store.problems.warn(pointer, 'A path must start with a slash, so one is added.');
  }
  const greedy = new Set<string>();
  const names = new Map<string, string>();
  const path = written.replace(/\{([^{}]*?)([+*]?)\}/g, (_, name: string, wildcard: string) => {
    let distinct = name;
    for (let count = 2; names.has(distinct); count += 1) distinct = `${name}${count}`;
    if (distinct !== name) {
      store.problems.warn(pointer, `The path has {${name}} twice, so one is named ${distinct}.`);
    }
    names.set(distinct, name);
    if (wildcard !== '') greedy.add(distinct);
    return `{${distinct}}`;
  });
  if (/[{}]/.test(path.replace(/\{[^{}]*\}/g, ''))) {
    throw new Unusable(pointer, 'The path has an unmatched brace. Write placeholders as {name}.');
  }
  const query = search === undefined ? {} : readQuery(search, pointer, store);
  return {
    path: path.startsWith('/') ? path : `/${path}`,
    /** Names that are written as `{path+}` or `{path*}`. */
    greedy,
    /** Distinct names of the placeholders, with the names that the document writes. */
    names,
    /** What requests must have in their query: `/objects?acl` has `{ acl: '' }`. */
    query: Object.keys(query).length > 0 ? query : undefined,
  };
}

function readQuery(search: string, pointer: Pointer, store: SchemaStore): Record<string, string> {
  const entries = [...new URLSearchParams(search)];
  const fixed = entries.filter(([name, value]) => !/[{}]/.test(name + value));
  if (fixed.length < entries.length) {
    store.problems.warn(
      pointer,
      'A placeholder in the query of a path is ignored. Declare a parameter with in: query.',
    );
  }
  return Object.fromEntries(fixed);
}

/** A parameter of the path that nobody declares is a string; one that the path does not have is dropped. */
export function matchParameters(
  template: PathTemplate,
  parameters: readonly ParameterModel[],
  pointer: Pointer,
  store: SchemaStore,
): ParameterModel[] {
  const declared = parameters.flatMap((each) => {
    const { name: written } = each.parameter;
    if (each.parameter.in !== 'path') return [each];
    const names = [...template.names.keys()].filter((name) => template.names.get(name) === written);
    if (names.length === 0) {
      const message = `The path has no {${written}}: the parameter is ignored. Add it to the path.`;
      store.problems.warn(each.pointer, message);
    }
    return names.map((name) => toNamed(each, name, template.greedy.has(name)));
  });
  const missing = [...template.names].filter(
    ([, written]) =>
      !parameters.some(
        ({ parameter: { in: place, name } }) => place === 'path' && name === written,
      ),
  );
  const implied = missing.map(([name]) => {
    store.problems.warn(
      pointer,
      `{${name}} has no parameter, so it is read as a string. Add one with in: path, name: ${name}, required: true.`,
    );
    return toNamed(toImplied(pointer), name, template.greedy.has(name));
  });
  return [...declared, ...implied];
}

function toNamed(model: ParameterModel, name: string, isGreedy: boolean): ParameterModel {
  const { parameter } = model;
  return { ...model, parameter: { ...parameter, name, ...(isGreedy ? { greedy: true } : {}) } };
}

function toImplied(pointer: Pointer): ParameterModel {
  return {
    parameter: {
      name: '',
      in: 'path',
      style: 'simple',
      explode: false,
      required: true,
      shape: 'scalar',
      types: ['string'],
    },
    schema: { type: 'string' },
    pointer,
    description: undefined,
    deprecated: false,
  };
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
