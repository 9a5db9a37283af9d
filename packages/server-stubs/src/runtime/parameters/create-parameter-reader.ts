import type { IncomingMessage } from 'node:http';
import {
  createNullObject,
  decodeQuery,
  type NullObject,
  parseCookies,
  parseQuery,
  type QueryValues,
} from '../decoding.ts';
import { escapeName, toSimpleViolation, type Violation } from '../faults.ts';
import { type Field, fromJson, nest, toSteps } from '../nesting.ts';
import type { Parameter, ParameterPlace, Route } from '../route-table.ts';
import { BAD_ENCODING, fromPairs, toArray, toValue, Unreadable } from './to-value.ts';

const MIXED = new Unreadable(
  'style',
  'has a property with both a value and nested properties, or is nested too deeply',
);
const TWICE = new Unreadable('duplicate', 'is given more than once');
const NONE: readonly Violation[] = [];

interface ParameterValues {
  path: NullObject | undefined;
  query: NullObject | undefined;
  header: NullObject | undefined;
  cookie: NullObject | undefined;
}

/** Reads all parameters of an operation into `target`, and returns any violations. */
export type ParameterReader = (
  target: ParameterValues,
  request: IncomingMessage,
  pathValues: readonly string[],
  rawQuery: string | undefined,
) => readonly Violation[];

type Read = (parameter: Parameter, request: IncomingMessage) => unknown;

/**
 * Creates the function that reads an operation's parameters.
 *
 * @param pathNames path parameter names, in the order of their values
 */
export function createParameterReader(
  route: Route,
  pathNames: readonly string[],
): ParameterReader | undefined {
  if (route.parameters.length === 0) return undefined;
  const inPath = pathNames.map((name) => route.parameters.find(isIn('path', name)));
  const inQuery = route.parameters.filter((parameter) => parameter.in === 'query');
  const inHeader = route.parameters.filter((parameter) => parameter.in === 'header');
  const headerKeys = new Map(
    inHeader.map((parameter) => [parameter, parameter.name.toLowerCase()]),
  );
  const inCookie = route.parameters.filter((parameter) => parameter.in === 'cookie');
  const queryNames = new Set(inQuery.map(({ name }) => name));
  const cookieNames = new Set(inCookie.map(({ name }) => name));

  return (target, request, pathValues, rawQuery) => {
    let violations = NONE;
    if (inPath.length > 0) {
      const part = createNullObject();
      target.path = part;
      for (let index = 0; index < inPath.length; index += 1) {
        const parameter = inPath[index];
        if (parameter === undefined) continue;
        const raw = pathValues[index] as string;
        const value = parameter.greedy ? raw : toValue(parameter, raw);
        violations = keep(part, parameter, value, violations);
      }
    }
    if (inQuery.length > 0) {
      const query = parseQuery(rawQuery ?? '');
      const read: Read = (parameter) =>
        parameter.whole
          ? readWhole(parameter, rawQuery, query)
          : readQuery(parameter, query, queryNames);
      target.query = createNullObject();
      violations = readAll(target.query, inQuery, request, read, violations);
    }
    if (inHeader.length > 0) {
      target.header = createNullObject();
      for (const [parameter, key] of headerKeys) {
        // Headers are a plain object. Without `hasOwn`, every request would have a `constructor` header.
        const raw = Object.hasOwn(request.headers, key) ? request.headers[key] : undefined;
        const value = readHeader(parameter, raw);
        violations = keep(target.header, parameter, value, violations);
      }
    }
    if (inCookie.length > 0) {
      const cookies = parseCookies(request.headers.cookie);
      const read: Read = (parameter) => readCookie(parameter, cookies, cookieNames);
      target.cookie = createNullObject();
      violations = readAll(target.cookie, inCookie, request, read, violations);
    }
    return violations;
  };
}

function isIn(place: ParameterPlace, name: string) {
  return (parameter: Parameter) => parameter.in === place && parameter.name === name;
}

function readAll(
  part: NullObject,
  parameters: readonly Parameter[],
  request: IncomingMessage,
  read: Read,
  violations: readonly Violation[],
): readonly Violation[] {
  let found = violations;
  for (const parameter of parameters) {
    found = keep(part, parameter, read(parameter, request), found);
  }
  return found;
}

function readHeader(parameter: Parameter, value: string | string[] | undefined): unknown {
  return optional(parameter, Array.isArray(value) ? value.join(', ') : value);
}

/**
 * If there are several cookies, only the first one is used. Only an exploded list or object may have
 * several.
 */
function readCookie(
  parameter: Parameter,
  cookies: QueryValues,
  others: ReadonlySet<string>,
): unknown {
  const { shape, explode } = parameter;
  if (explode && (shape === 'array' || shape === 'object')) {
    return readQuery(parameter, cookies, others);
  }
  return optional(parameter, cookies.get(parameter.name)?.[0]);
}

function optional(parameter: Parameter, raw: string | undefined): unknown {
  return raw === undefined ? undefined : toValue(parameter, raw);
}

function keep(
  part: NullObject,
  parameter: Parameter,
  value: unknown,
  violations: readonly Violation[],
): readonly Violation[] {
  if (value instanceof Unreadable) {
    return [...violations, toViolation(parameter, value.keyword, value.problem)];
  }
  if (value !== undefined) {
    part[parameter.name] = value;
  } else if (parameter.default !== undefined) {
    part[parameter.name] = parameter.default;
  } else if (parameter.required) {
    return [...violations, toViolation(parameter, 'required', 'is missing')];
  }
  return violations;
}

function toViolation(parameter: Parameter, keyword: string, problem: string): Violation {
  const { in: place, name } = parameter;
  return toSimpleViolation(place, `/${escapeName(name)}`, keyword, `${place}.${name} ${problem}.`);
}

/**
 * Returns the value of a query parameter, or `undefined` if it is absent.
 *
 * @param others names of the operation's other query parameters, which are not properties of an exploded
 *   object
 */
export function readQuery(
  parameter: Parameter,
  query: QueryValues,
  others: ReadonlySet<string>,
): unknown {
  if (parameter.shape === 'nested') return readNested(parameter, query, others);
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

/** Reads the entire query, as JSON or as a form. */
function readWhole(
  parameter: Parameter,
  rawQuery: string | undefined,
  query: QueryValues,
): unknown {
  if (rawQuery === undefined || rawQuery === '') return undefined;
  return parameter.shape === 'json' ? toValue(parameter, rawQuery) : toNested(query, () => true);
}

/**
 * A value with lists or objects inside, or that is an object or something else: `a[b][0]=1`, JSON, or
 * text; in style `form`, each property may be a parameter. The validator converts its strings.
 */
function readNested(
  parameter: Parameter,
  query: QueryValues,
  others: ReadonlySet<string>,
): unknown {
  const { name, explode, style, properties = {}, additional } = parameter;
  const own = toNested(query, (head) => head === name);
  if (own instanceof Unreadable) return own;
  const value = own[name];
  if (value !== undefined) return fromTexts(value);
  if (style !== 'form' || !explode) return undefined;
  const isMember = (head: string) =>
    Object.hasOwn(properties, head) || (additional !== undefined && !others.has(head));
  const object = toNested(query, isMember);
  if (object instanceof Unreadable) return object;
  const names = Object.keys(object);
  for (const each of names) {
    // Only text of a list or of an object may be JSON.
    if (properties[each]?.length === 0) object[each] = fromTexts(object[each]);
  }
  return names.length === 0 ? undefined : object;
}

function fromTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromTexts);
  return typeof value === 'string' ? fromJson(value) : value;
}

/** Nests the fields of a query whose first name passes a test. */
function toNested(query: QueryValues, test: (head: string) => boolean): NullObject | Unreadable {
  const fields: Field[] = [];
  for (const [name, values] of query) {
    if (!test(toSteps(name)?.[0] ?? name)) continue;
    for (const raw of values) {
      const value = decodeQuery(raw);
      if (value === undefined) return BAD_ENCODING;
      fields.push([name, value]);
    }
  }
  return nest(fields) ?? MIXED;
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
