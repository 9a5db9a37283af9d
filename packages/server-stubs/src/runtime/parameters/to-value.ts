import { createNullObject, decodeQuery, decodeText } from '../decoding.ts';
import { DEFAULT_LIMITS } from '../options.ts';
import { isRounded, parseJson, toRounded } from '../parse-json.ts';
import type { Parameter, ParameterPlace, ScalarType } from '../route-table.ts';

/** A number as JSON writes it (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Query delimiters may be sent raw or encoded (OpenAPI 3.1.1, appendix E). */
const DELIMITERS = { spaceDelimited: /%20|\+/, pipeDelimited: /\||%7c/i } as const;
const DECODERS: Readonly<Record<ParameterPlace, Decoder>> = {
  path: decodeText,
  query: decodeQuery,
  header: (raw) => raw.trim(),
  /** Not every cookie is percent-encoded, so one that cannot be decoded is used as is. */
  cookie: (raw) => decodeText(raw) ?? raw,
};

/** Why a text is not a valid value: a schema keyword, and the end of an error message. */
export class Unreadable {
  readonly keyword: string;
  readonly problem: string;

  constructor(keyword: string, problem: string) {
    this.keyword = keyword;
    this.problem = problem;
  }
}

export const BAD_ENCODING = new Unreadable('encoding', 'has broken percent-encoding');

type Decoder = (raw: string) => string | undefined;

/** @param raw text as sent; an encoded delimiter in it is part of the data */
export function toValue(parameter: Parameter, raw: string): unknown {
  const decode = DECODERS[parameter.in];
  if (parameter.shape === 'json') return toJson(decode(raw));
  const text = withoutPrefix(parameter, raw);
  if (text === undefined) {
    return new Unreadable('style', `is not in the style ${parameter.style}`);
  }
  if (parameter.shape === 'scalar') {
    const value = decode(text);
    return value === undefined ? BAD_ENCODING : coerce(value, parameter.types);
  }
  const parts = text === '' ? [] : text.split(delimiterOf(parameter));
  return parameter.shape === 'array' ? toArray(parameter, parts) : toObject(parameter, parts);
}

export function toArray(parameter: Parameter, parts: readonly string[]): unknown {
  const decode = DECODERS[parameter.in];
  const prefix = parameter.style === 'matrix' && parameter.explode ? `${parameter.name}=` : '';
  const items: unknown[] = [];
  for (const part of parts) {
    if (!part.startsWith(prefix))
      return new Unreadable('style', 'has an item with a different name');
    const item = decode(part.slice(prefix.length));
    if (item === undefined) return BAD_ENCODING;
    const value = coerce(item, parameter.types);
    if (value instanceof Unreadable) return value;
    items.push(value);
  }
  return items;
}

function toObject(parameter: Parameter, parts: readonly string[]): unknown {
  const pairs = parameter.explode ? parts.map(splitAtEquals) : toPairs(parts);
  if (pairs === undefined) return new Unreadable('style', 'has a name without a value');
  return fromPairs(parameter, pairs);
}

export function fromPairs(
  parameter: Parameter,
  pairs: readonly (readonly [string, string])[],
): unknown {
  const decode = DECODERS[parameter.in];
  const object = createNullObject();
  for (const [rawName, rawValue] of pairs) {
    const name = decode(rawName);
    const value = decode(rawValue);
    if (name === undefined || value === undefined) return BAD_ENCODING;
    if (name in object) return new Unreadable('duplicate', 'contains a name more than once');
    const { properties = {}, additional } = parameter;
    const types = (Object.hasOwn(properties, name) && properties[name]) || additional;
    const coerced = types === undefined ? value : coerce(value, types);
    if (coerced instanceof Unreadable) return coerced;
    object[name] = coerced;
  }
  return object;
}

function withoutPrefix(
  { style, name, shape, explode }: Parameter,
  raw: string,
): string | undefined {
  if (style === 'label') return raw.startsWith('.') ? raw.slice(1) : undefined;
  if (style !== 'matrix') return raw;
  if (explode && shape === 'object') return raw.startsWith(';') ? raw.slice(1) : undefined;
  if (explode && shape === 'array') return raw.startsWith(`;${name}=`) ? raw.slice(1) : undefined;
  return raw.startsWith(`;${name}=`) ? raw.slice(name.length + 2) : undefined;
}

function delimiterOf({ style, explode }: Parameter): string | RegExp {
  if (style === 'spaceDelimited' || style === 'pipeDelimited') return DELIMITERS[style];
  if (explode && style === 'label') return '.';
  if (explode && style === 'matrix') return ';';
  return ',';
}

function splitAtEquals(part: string): readonly [string, string] {
  const at = part.indexOf('=');
  return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
}

function toPairs(parts: readonly string[]): readonly (readonly [string, string])[] | undefined {
  if (parts.length % 2 !== 0) return undefined;
  return parts.flatMap((part, index) =>
    index % 2 === 0 ? [[part, parts[index + 1] as string] as const] : [],
  );
}

function toJson(text: string | undefined): unknown {
  if (text === undefined) return BAD_ENCODING;
  const parsed = parseJson(text, DEFAULT_LIMITS.jsonDepth);
  return parsed.problem === undefined
    ? parsed.value
    : new Unreadable('syntax', `is not valid JSON: it ${parsed.problem}`);
}

/**
 * Text that matches none of the types stays a string, which the schema then rejects. An integer that a
 * number cannot represent is `Unreadable`, unless the schema allows a string.
 */
export function coerce(text: string, types: readonly ScalarType[]): unknown {
  for (const type of types) {
    switch (type) {
      case 'string':
        return text;
      case 'boolean':
        if (text === 'true') return true;
        if (text === 'false') return false;
        break;
      case 'null':
        if (text === 'null' || (text === '' && !types.includes('string'))) return null;
        break;
      default: {
        const value = toNumber(text);
        if (value === undefined || (type === 'integer' && !Number.isInteger(value))) break;
        if (!isRounded(text)) return value;
        // Digits that a number cannot represent stay a string if that is allowed too.
        if (types.includes('string')) break;
        return new Unreadable('integer', toRounded(text));
      }
    }
  }
  return text;
}

function toNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
