import type { Parameter } from '../route-table.ts';
import { Unreadable } from './coerce.ts';
import type { QueryValues } from './parse-query.ts';
import { fromPairs, toArray, toValue } from './to-value.ts';

const TWICE = new Unreadable('duplicate', 'is given more than once');

/**
 * The value of a query parameter; `undefined` where it is absent.
 *
 * @param others names of the other query parameters of the operation, which are no properties of an
 *   exploded object
 */
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

/** `filter[name]=a&filter[size]=2`; one level, as OpenAPI defines it. */
function readDeepObject(parameter: Parameter, query: QueryValues): unknown {
  const start = `${parameter.name}[`;
  const pairs: (readonly [string, string])[] = [];
  for (const [name, values] of query) {
    if (!name.startsWith(start) || !name.endsWith(']')) continue;
    const property = name.slice(start.length, -1);
    if (property.includes('[')) return new Unreadable('style', 'nests deeper than one level');
    for (const value of values) pairs.push([encodeURIComponent(property), value]);
  }
  return pairs.length === 0 ? undefined : fromPairs(parameter, pairs);
}

/** Each property is a parameter of its own: the known ones, and those that nobody else claims. */
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
