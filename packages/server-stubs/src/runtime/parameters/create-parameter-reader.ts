import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  createNullObject,
  type NullObject,
  parseCookies,
  parseQuery,
  type QueryValues,
} from '../decoding.ts';
import { escapeName, type Violation } from '../faults.ts';
import type { Parameter, ParameterPlace, Route } from '../route-table.ts';
import { fromPairs, toArray, toValue, Unreadable } from './to-value.ts';

const MISSING = new Unreadable('required', 'is missing');
const TWICE = new Unreadable('duplicate', 'is given more than once');
const PLACES = ['path', 'query', 'header', 'cookie'] as const;
const NONE: QueryValues = new Map();

export type ParameterReader = (
  target: Record<ParameterPlace, NullObject | undefined>,
  request: IncomingMessage,
  pathValues: readonly string[],
  rawQuery: string | undefined,
) => readonly Violation[];

interface Sources {
  readonly path: readonly string[];
  readonly query: QueryValues;
  readonly headers: IncomingHttpHeaders;
  readonly cookies: QueryValues;
}

type Read = (sources: Sources) => unknown;

/** @param pathNames in the order of their values */
export function createParameterReader(
  { parameters }: Route,
  pathNames: readonly string[],
): ParameterReader | undefined {
  if (parameters.length === 0) return undefined;
  const readers = PLACES.flatMap((place) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    const names = here.map(({ name }) => name);
    const known = place === 'path' ? here.filter(({ name }) => pathNames.includes(name)) : here;
    return known.map((each) => [each, createRead(each, pathNames, new Set(names))] as const);
  });
  const places = new Set(readers.map(([parameter]) => parameter.in));
  return (target, { headers }, path, rawQuery) => {
    const violations: Violation[] = [];
    const sources: Sources = {
      path,
      query: places.has('query') ? parseQuery(rawQuery ?? '') : NONE,
      headers,
      cookies: places.has('cookie') ? parseCookies(headers.cookie) : NONE,
    };
    for (const place of places) target[place] = createNullObject();
    for (const [parameter, read] of readers) {
      const { in: place, name } = parameter;
      const given = read(sources);
      const value = given === undefined ? parameter.default : given;
      if (value instanceof Unreadable) {
        violations.push(toViolation(parameter, value));
      } else if (value !== undefined) {
        (target[place] as NullObject)[name] = value;
      } else if (parameter.required) {
        violations.push(toViolation(parameter, MISSING));
      }
    }
    return violations;
  };
}

/** @param others names of the operation's parameters in the same place */
function createRead(
  parameter: Parameter,
  pathNames: readonly string[],
  others: ReadonlySet<string>,
): Read {
  const { name, greedy, explode, shape } = parameter;
  const convert = (raw: string | undefined) =>
    raw === undefined ? undefined : toValue(parameter, raw);
  switch (parameter.in) {
    case 'path': {
      const index = pathNames.indexOf(name);
      return ({ path }) => (greedy ? path[index] : convert(path[index]));
    }
    case 'query':
      return ({ query }) => readQuery(parameter, query, others);
    case 'header': {
      const key = name.toLowerCase();
      return ({ headers }) => {
        // Headers are a plain object. Without `hasOwn`, every request would have a `constructor` header.
        const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
        return convert(Array.isArray(value) ? value.join(', ') : value);
      };
    }
    case 'cookie':
      // Only an exploded list or object may have several cookies. Otherwise, only the first one is used.
      return explode && (shape === 'array' || shape === 'object')
        ? ({ cookies }) => readQuery(parameter, cookies, others)
        : ({ cookies }) => convert(cookies.get(name)?.[0]);
  }
}

function toViolation({ in: place, name }: Parameter, { keyword, problem }: Unreadable): Violation {
  const message = `${place}.${name} ${problem}.`;
  return { in: place, pointer: `/${escapeName(name)}`, keyword, message };
}

/** @param others names of all parameters, of which an exploded object takes none */
export function readQuery(
  parameter: Parameter,
  query: QueryValues,
  others: ReadonlySet<string>,
): unknown {
  if (parameter.style === 'deepObject') return readDeepObject(parameter, query);
  if (parameter.explode && parameter.shape === 'object') {
    return readExploded(parameter, query, others);
  }
  const values = query.get(parameter.name);
  if (values === undefined) return undefined;
  if (parameter.explode && parameter.shape === 'array') return toArray(parameter, values);
  return values.length > 1 ? TWICE : toValue(parameter, values[0] as string);
}

/** Reads `filter[name]=a&filter[size]=2`, with one level, as OpenAPI defines it. */
function readDeepObject(parameter: Parameter, query: QueryValues): unknown {
  const start = `${parameter.name}[`;
  const pairs: (readonly [string, string])[] = [];
  for (const [name, values] of query) {
    if (!name.startsWith(start) || !name.endsWith(']')) continue;
    const property = name.slice(start.length, -1);
    if (property.includes('[')) return new Unreadable('style', 'is nested deeper than one level');
    for (const value of values) pairs.push([encodeURIComponent(property), value]);
  }
  if (pairs.length > 0) return fromPairs(parameter, pairs);
  // The schema may allow a single value too.
  const [only, second] = parameter.types.length > 0 ? (query.get(parameter.name) ?? []) : [];
  if (only === undefined) return undefined;
  return second === undefined ? toValue({ ...parameter, shape: 'scalar' }, only) : TWICE;
}

/** Each property is a query parameter: the known ones, and those that no other parameter claims. */
function readExploded(
  parameter: Parameter,
  query: QueryValues,
  others: ReadonlySet<string>,
): unknown {
  const { properties = {}, additional } = parameter;
  const pairs: (readonly [string, string])[] = [];
  for (const [name, values] of query) {
    const isOpen = additional !== undefined && !others.has(name);
    if (!isOpen && !Object.hasOwn(properties, name)) continue;
    for (const value of values) pairs.push([encodeURIComponent(name), value]);
  }
  return pairs.length === 0 ? undefined : fromPairs(parameter, pairs);
}
