import type { IncomingMessage } from 'node:http';
import type { Parameter, ParameterPlace, Route } from '../route-table.ts';
import type { Violation } from '../violation.ts';
import { Unreadable } from './coerce.ts';
import { createNullObject, type NullObject } from './null-object.ts';
import { parseCookies } from './parse-cookies.ts';
import { parseQuery, type QueryValues } from './parse-query.ts';
import { readQuery } from './read-query.ts';
import { toValue } from './to-value.ts';

/** The parameters of a request; a part without documented parameters is `undefined`. */
interface ParameterValues {
  path: NullObject | undefined;
  query: NullObject | undefined;
  header: NullObject | undefined;
  cookie: NullObject | undefined;
}

/** Reads all parameters of an operation into `target`, and gives what could not be read. */
export type ParameterReader = (
  target: ParameterValues,
  request: IncomingMessage,
  pathValues: readonly string[],
  rawQuery: string | undefined,
) => readonly Violation[];

type Read = (parameter: Parameter, request: IncomingMessage) => unknown;

/** @param pathNames names of the path parameters, in the order of their values */
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
      const read: Read = (parameter) => readQuery(parameter, query, queryNames);
      target.query = createNullObject();
      violations = readAll(target.query, inQuery, request, read, violations);
    }
    if (inHeader.length > 0) {
      target.header = createNullObject();
      for (const [parameter, key] of headerKeys) {
        // Headers are a plain object: without `hasOwn`, every request has a header `constructor`.
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

const NONE: readonly Violation[] = [];

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

/** Of a cookie given twice the first counts; only an exploded list or object has several. */
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
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { in: place, pointer, keyword, message: `${place}.${name} ${problem}.`, schemaPath: '' };
}
