import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HttpError, invalidRequest, type Violation } from './faults.ts';
import { parseJson } from './json.ts';
import { escapeName } from './json-pointer.ts';
import type { Input } from './options.ts';
import type { Parameter, Route, ScalarType } from './route-table.ts';

type Named = { readonly name: string; readonly in: Violation['in'] };

/** A parameter, or a field of a form, which is read like a parameter of a query. */
type Field = Omit<Parameter, 'in'> & Named;

type Parts = { -readonly [Part in Parameter['in']]: Input[Part] };

/** Raw values, keyed by their decoded names. */
type Values = ReadonlyMap<string, readonly string[]>;

export function readParameters(
  { parameters }: Route,
  input: Parts,
  rawPathOf: (name: string) => string | undefined,
  { headers }: IncomingMessage,
  rawQuery = '',
): void {
  const violations: Violation[] = [];
  let query: Values | undefined;
  for (const parameter of parameters) {
    const { in: place, name, default: fallback } = parameter;
    input[place] ??= createNullObject();
    try {
      let value: unknown;
      if (place === 'query') {
        query ??= parseQuery(rawQuery);
        value = readQuery(parameter, query);
      } else {
        const raw = place === 'path' ? rawPathOf(name) : findHeaderOrCookie(parameter, headers);
        value = raw === undefined || parameter.greedy ? raw : readValue(parameter, raw);
      }
      // A copy, because handlers may change it.
      if (value === undefined && fallback !== undefined) value = structuredClone(fallback);
      if (value !== undefined) (input[place] as NullObject)[name] = value;
      else if (parameter.required) throw invalidParameter(parameter, 'is missing');
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      violations.push(...error.violations);
    }
  }
  if (violations.length > 0) throw invalidRequest(violations);
}

function findHeaderOrCookie({ in: place, name }: Parameter, headers: IncomingHttpHeaders) {
  if (place === 'cookie') return parseCookies(headers.cookie).get(name)?.[0];
  return findHeader(headers, name.toLowerCase());
}

/** Headers are a plain object: without `hasOwn`, every request would have a `constructor` header. */
export function findHeader(headers: IncomingHttpHeaders, key: string): string | undefined {
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}

export function readQuery(field: Field, values: Values): unknown {
  const { name, shape, explode, types } = field;
  if (shape === 'object') {
    const object = readObject(field, values);
    // The schema may allow a single value too.
    if (object !== undefined || types.length === 0) return object;
  }
  const raws = values.get(name);
  if (raws === undefined) return undefined;
  if (explode && shape === 'array') return raws.map((raw) => readScalar(field, raw));
  if (raws.length > 1) throw invalidParameter(field, 'occurs more than once');
  return readValue(field, raws[0] as string);
}

function readObject(field: Field, values: Values): NullObject | undefined {
  const { properties = {} } = field;
  let object: NullObject | undefined;
  for (const [sent, raws] of values) {
    const name = propertyOf(field, sent);
    if (name === undefined) continue;
    if (raws.length > 1) throw invalidParameter(field, 'contains a name more than once');
    const types = Object.hasOwn(properties, name) ? properties[name] : undefined;
    object ??= createNullObject();
    object[name] = coerce(decode(field, raws[0] as string), types ?? ['string']);
  }
  return object;
}

/** The name of the property that a parameter sets: `filter[name]=a`, with one level, or `name=a`. */
function propertyOf(field: Field, sent: string): string | undefined {
  const { name, style, properties = {} } = field;
  if (style !== 'deepObject') return Object.hasOwn(properties, sent) ? sent : undefined;
  if (!sent.startsWith(`${name}[`) || !sent.endsWith(']')) return undefined;
  const property = sent.slice(name.length + 1, -1);
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
    throw invalidParameter(field, `is not valid JSON: ${(error as Error).message}`);
  }
}

/** A number as JSON writes it (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Text that matches none of the types stays a string, which the schema then rejects. */
function coerce(text: string, types: readonly ScalarType[]): unknown {
  for (const type of types) {
    if (type === 'string') return text;
    if (type === 'boolean') {
      if (text === 'true' || text === 'false') return text === 'true';
    } else if (type === 'null') {
      if (text === 'null' || (text === '' && !types.includes('string'))) return null;
    } else if (NUMBER.test(text)) {
      const value = Number(text);
      if (type === 'number' ? Number.isFinite(value) : Number.isInteger(value)) return value;
    }
  }
  return text;
}

function invalidParameter({ in: place, name }: Named, problem: string): HttpError {
  const message = `${place}.${name} ${problem}.`;
  return invalidRequest([{ in: place, pointer: `/${escapeName(name)}`, message }]);
}

export function decode(field: Named, raw: string): string {
  // Not every cookie is percent-encoded, so one that cannot be decoded is used as is.
  if (field.in === 'cookie') return decodeText(raw) ?? raw;
  if (field.in === 'header') return raw.trim();
  const text = field.in === 'path' ? decodeText(raw) : decodeQuery(raw);
  if (text === undefined) throw invalidParameter(field, 'has invalid percent-encoding');
  return text;
}

const ENCODED = /[%\u0080-\uffff]/;
const UNENCODED = /[\u0080-\u00ff]/g;

/**
 * RFC 3986, section 2.1. Also decodes bytes that the client did not percent-encode, which Node.js reads as
 * Latin-1. `undefined` if the encoding is invalid.
 */
export function decodeText(raw: string): string | undefined {
  if (!ENCODED.test(raw)) return raw;
  try {
    return decodeURIComponent(
      raw.replace(UNENCODED, (byte) => `%${byte.charCodeAt(0).toString(16)}`),
    );
  } catch {
    return undefined;
  }
}

/** Decodes a name or value in a query. As in HTML forms, a plus sign means a space. */
export function decodeQuery(raw: string): string | undefined {
  return decodeText(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}

/** A name with an invalid encoding is ignored like any unknown name, because no document can contain it. */
export function parseQuery(query: string): Values {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    const [name = '', ...value] = pair.split('=');
    const key = pair === '' ? undefined : decodeQuery(name);
    if (key !== undefined) addValue(values, key, value.join('='));
  }
  return values;
}

/** Parses raw cookies by name (RFC 6265, section 5.4). A name may occur several times. */
export function parseCookies(header = ''): Values {
  const values = new Map<string, string[]>();
  for (const pair of header.split(';')) {
    const [name = '', ...value] = pair.split('=');
    const text = value.join('=').trim();
    if (value.length > 0) addValue(values, name.trim(), /^"(.*)"$/.exec(text)?.[1] ?? text);
  }
  return values;
}

function addValue(values: Map<string, string[]>, name: string, value: string): void {
  const known = values.get(name);
  if (known) known.push(value);
  else values.set(name, [value]);
}

export type NullObject = Record<string, unknown>;

const Constructor = function NullObject() {} as unknown as new () => NullObject;
Constructor.prototype = Object.freeze(Object.create(null));

/**
 * Creates an object with an empty prototype, so that `__proto__` and `constructor` are ordinary names. V8 keeps
 * it in fast mode, unlike the result of `Object.create(null)`.
 */
export function createNullObject(): NullObject {
  return new Constructor();
}
