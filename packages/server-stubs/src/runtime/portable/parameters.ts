import type { Call } from './call.ts';
import {
  createNullObject,
  decodeQuery,
  decodeText,
  escapeName,
  findCookies,
  parseJson,
  parseQuery,
  type QueryValues,
} from './encoding.ts';
import { findHeader } from './headers.ts';
import { HttpError, invalidRequest, type Violation } from './http-error.ts';
import type {
  Field,
  Parameter,
  ParameterLocation,
  Route,
  ScalarType,
  SchemaError,
  Validator,
} from './route-table.ts';
import { toViolation } from './validation.ts';

type Named = Pick<Field, 'in' | 'name'>;
type Values = Record<string, unknown> | undefined;

/** The input to a handler: parameters by location and name, without a prototype. Absent locations are `undefined`. */
export class ParsedInput implements Record<ParameterLocation, Values> {
  path: Values;
  query: Values;
  header: Values;
  cookie: Values;
  /** Documented media type of the body; `undefined` without a body. */
  contentType: string | undefined;
  /** A value for JSON, a string for text, an object without a prototype for forms, and otherwise a `Readable`. */
  body: unknown;
}

/**
 * Reads the parameters of an operation.
 *
 * @param rawPath path parameters as sent
 * @throws HttpError if they are not as documented
 */
export function readParameters(
  { parameters, validateParameters: validate }: Route,
  rawPath: Readonly<Record<string, string>>,
  { request, rawQuery = '' }: Call,
): ParsedInput {
  const input = new ParsedInput();
  const violations: Violation[] = [];
  let query: QueryValues | undefined;
  for (const parameter of parameters) {
    const { in: location, name, default: fallback } = parameter;
    input[location] ??= createNullObject();
    try {
      let value: unknown;
      if (location === 'query') {
        query ??= parseQuery(rawQuery);
        value = readQuery(parameter, query);
      } else {
        const raw = location === 'path' ? rawPath[name] : findHeaderOrCookie(parameter, request);
        value = raw === undefined || parameter.greedy ? raw : readValue(parameter, raw);
      }
      // A copy, because handlers may change it.
      if (value === undefined && fallback !== undefined) value = structuredClone(fallback);
      if (value !== undefined) input[location][name] = value;
      else if (parameter.required) throw invalidParameter(parameter, 'is missing');
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      violations.push(...error.violations);
    }
  }
  if (violations.length > 0) throw invalidRequest(violations);
  if (validate !== undefined && !validate(input)) throw invalidParameters(input, validate.errors);
  return input;
}

function findHeaderOrCookie(
  { in: location, name, shape, explode }: Parameter,
  { headers }: Call['request'],
) {
  if (location === 'header') return findHeader(headers, name.toLowerCase());
  const [first, ...repeated] = findCookies(headers.cookie, name);
  // A cookie cannot contain a comma (RFC 6265, section 4.1.1), so one for each item is the same as a list.
  return explode && shape === 'array' && repeated.length > 0
    ? [first, ...repeated].join(',')
    : first;
}

/** The validator gets the parameters of all locations, so the first step to the value is its location. */
function invalidParameters(input: ParsedInput, errors: Validator['errors']): HttpError {
  const schemaErrors = errors as readonly [SchemaError];
  const [, location] = schemaErrors[0].instancePath.split('/') as ['', ParameterLocation];
  const inLocation = schemaErrors.map((error) => {
    return { ...error, instancePath: error.instancePath.slice(location.length + 1) };
  });
  return invalidRequest([toViolation(input[location], inLocation, location)]);
}

export function readQuery(field: Field, values: QueryValues): unknown {
  const { name, shape, explode } = field;
  if (shape === 'object') return readObject(field, values);
  const rawValues = values.get(name);
  if (rawValues === undefined) return undefined;
  if (explode && shape === 'array') return rawValues.map((raw) => readScalar(field, raw));
  if (rawValues.length > 1) throw invalidParameter(field, 'occurs more than once');
  return readValue(field, rawValues[0] as string);
}

function readObject(field: Field, values: QueryValues): Values {
  const { properties = {} } = field;
  let object: Values;
  for (const [sentName, rawValues] of values) {
    const name = propertyOf(field, sentName);
    if (name === undefined) continue;
    if (rawValues.length > 1) throw invalidParameter(field, 'contains a name more than once');
    const types = Object.hasOwn(properties, name) ? properties[name] : undefined;
    object ??= createNullObject();
    object[name] = coerce(decode(field, rawValues[0] as string), types ?? ['string']);
  }
  return object;
}

/** The name of the property that a parameter sets: `filter[name]=a`, with one level, or `name=a`. */
export function propertyOf(field: Field, sentName: string): string | undefined {
  if (field.style !== 'deepObject') {
    return Object.hasOwn(field.properties ?? {}, sentName) ? sentName : undefined;
  }
  if (sentName === field.name) {
    const form = `${sentName}[name]=value`;
    throw invalidParameter(field, `must be an object: send its properties as ${form}`);
  }
  if (!sentName.startsWith(`${field.name}[`) || !sentName.endsWith(']')) return undefined;
  const property = sentName.slice(field.name.length + 1, -1);
  if (property.includes('[')) throw invalidParameter(field, 'is nested deeper than one level');
  return property;
}

/** @param raw text as sent; an encoded comma in it is part of the data */
function readValue(field: Field, raw: string): unknown {
  if (field.shape === 'json') return readJson(field, raw);
  if (field.shape !== 'array') return readScalar(field, raw);
  const parts = raw === '' ? [] : raw.split(',');
  return parts.map((part) => readScalar(field, part));
}

function readScalar(field: Field, raw: string): unknown {
  return coerce(decode(field, raw), field.types);
}

function readJson(field: Field, raw: string): unknown {
  const text = decode(field, raw);
  try {
    return parseJson(text);
  } catch (error) {
    throw invalidParameter(field, `cannot be read as JSON: ${(error as Error).message}`);
  }
}

/** A number as JSON writes it (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Text that matches none of the types stays a string, which the schema then rejects. If strings are allowed, `null`
 * and the empty string stay text.
 */
function coerce(text: string, types: readonly ScalarType[]): unknown {
  for (const type of types) {
    if (type === 'string') return text;
    if (type === 'boolean') {
      if (text === 'true' || text === 'false') return text === 'true';
    } else if (type === 'null') {
      if ((text === 'null' || text === '') && !types.includes('string')) return null;
    } else if (NUMBER.test(text)) {
      const value = Number(text);
      // A larger integer, such as a 64-bit ID, would be rounded.
      if (type === 'number' ? Number.isFinite(value) : Number.isSafeInteger(value)) return value;
    }
  }
  return text;
}

export function decode(field: Named, raw: string): string {
  // Not every cookie is percent-encoded, so one that cannot be decoded is used as is.
  if (field.in === 'cookie') return decodeText(raw) ?? raw;
  if (field.in === 'header') return raw.trim();
  const text = field.in === 'path' ? decodeText(raw) : decodeQuery(raw);
  if (text === undefined) throw invalidParameter(field, 'has invalid percent-encoding');
  return text;
}

function invalidParameter({ in: location = 'body', name }: Named, problem: string) {
  const message = `${location}.${name} ${problem}.`;
  return invalidRequest([{ in: location, pointer: `/${escapeName(name)}`, message }]);
}
