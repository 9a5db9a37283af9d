import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isObject, type JsonObject } from '../contract/openapi.ts';
import { decodeUrl, type Exchange, parseJson, readAll, splitTarget } from '../http/exchange.ts';
import { isJson, toMediaType } from '../http/media-type.ts';
import { type Constraint, listBreakers } from './break-draft.ts';
import { readings } from './check-exchange.ts';
import { createGenerator, type Draft } from './generate.ts';
import { type ApiDocument, UnusableSchema } from './load-document.ts';
import type { Operation, Parameter } from './plan.ts';
import { listPlaces, valuesAt } from './schema.ts';

/** The operation that a request calls, and the values of its path parameters as sent. */
export interface FoundCall {
  operation: Operation;
  values: Record<string, string>;
}

/**
 * Returns the operation of a document that a request calls. Literal segments take precedence over parameters.
 *
 * @param path the path of the request below the URL of the API
 */
export function findOperation(
  operations: readonly Operation[],
  method: string,
  path: string,
): FoundCall | undefined {
  const found = operations
    .filter((operation) => operation.method === method)
    .flatMap((operation) => {
      const values = matchPath(operation.path, path);
      return values ? [{ operation, values }] : [];
    });
  const count = ({ values }: FoundCall) => Object.keys(values).length;
  return found.sort((one, other) => count(one) - count(other))[0];
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const pattern = template
    .split(/(\{[^}]+\})/)
    .map((part) =>
      part.startsWith('{') ? '([^/]+)' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('');
  const match = new RegExp(`^${pattern}$`).exec(path);
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  return (
    match?.slice(1) && Object.fromEntries(names.map((name, at) => [name, match[at + 1] ?? '']))
  );
}

/** The bodies of an exchange that are known completely. */
export type Known = ReadonlySet<'request' | 'response'>;

/** Reads the parameters and the body of a request, as far as the document describes them. */
export function readDraft(
  document: ApiDocument,
  { parameters, body }: Operation,
  values: Readonly<Record<string, string>>,
  { sent }: Exchange,
  known: Known,
): Draft {
  const query = new URLSearchParams(splitTarget(sent.url).search);
  const cookies = new Map(
    readAll(sent.headers, 'cookie')
      .flatMap((header) => header.split(';'))
      .map((pair) => [pair.split('=')[0]?.trim() ?? '', pair.slice(pair.indexOf('=') + 1)]),
  );
  const read = ({ in: place, name, schema }: Parameter): string | undefined => {
    if (place === 'path') return values[name] === undefined ? undefined : decodeUrl(values[name]);
    if (place === 'query') return readQuery(query, name, isObjectIn(document, schema));
    if (place === 'cookie') return cookies.get(name);
    const headers = readAll(sent.headers, name);
    return headers.length === 0 ? undefined : headers.join(', ');
  };
  const found = parameters.flatMap((parameter) => {
    const value = read(parameter);
    return value === undefined ? [] : [[parameter.key, value] as const];
  });
  const [type] = readAll(sent.headers, 'content-type');
  const content = body?.content.find(
    ({ mediaType }) => type !== undefined && toMediaType(mediaType) === toMediaType(type),
  );
  return {
    parameters: Object.fromEntries(found),
    ...(content && sent.body.length > 0 ? { mediaType: content.mediaType } : {}),
    ...(content && known.has('request') ? { body: readBody(content.mediaType, sent.body) } : {}),
    // A body of another type is not described, but it is not missing either.
    ...(content === undefined && sent.body.length > 0 ? { body: null } : {}),
  };
}

/** Objects are sent as several parameters, whose names depend on the style. */
function readQuery(query: URLSearchParams, name: string, isObject: boolean): string | undefined {
  const values = query.getAll(name);
  if (values.length > 0) return values.join(',');
  const isPart = (key: string) => isObject || key.startsWith(`${name}[`);
  return [...query.keys()].some(isPart) ? query.toString() : undefined;
}

function isObjectIn(document: ApiDocument, pointer: string | undefined): boolean {
  if (pointer === undefined) return false;
  const places = listPlaces(document.root, document.schemaAt(pointer, 'request'));
  const { type, properties } = places.get('')?.schema ?? {};
  return properties !== undefined || [type].flat().includes('object');
}

function readBody(mediaType: string, body: Buffer): unknown {
  const text = body.toString();
  if (isJson(mediaType)) {
    return parseJson(text);
  }
  if (mediaType === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(text));
  }
  if (!mediaType.startsWith('multipart/')) return text;
  const names = body
    .toString('latin1')
    .matchAll(/\r\ncontent-disposition:[^\r]*?\bname="([^"]*)"/gi);
  return Object.fromEntries([...names].map(([, name = '']) => [name, '']));
}

/** Returns the constraints of an operation that requests can visibly violate. */
export function listConstraints(document: ApiDocument, operation: Operation): Constraint[] {
  const generator = createGenerator(document, operation, 0);
  // Every value of a parameter is text on the wire.
  return listBreakers(document, operation, generator).filter(
    ({ parameter, keyword, schema }) =>
      !(parameter && keyword === 'type' && [schema.type].flat().includes('string')),
  );
}

/** Returns the names of the constraints that a request violates. */
export function listViolated(
  document: ApiDocument,
  { body }: Operation,
  draft: Draft,
  constraints: readonly Constraint[],
  known: Known,
): string[] {
  const json = body?.content.find(({ mediaType }) => isJson(mediaType));
  const isOfJson = known.has('request') && draft.mediaType === json?.mediaType;
  const isWrong =
    isOfJson && draft.body !== undefined && !isValid(document, json?.schema, draft.body);
  const isViolated = ({ parameter, path, keyword, limit, schema }: Constraint): boolean => {
    if (parameter !== undefined) {
      const value = draft.parameters[parameter.key];
      if (keyword === 'required' || value === undefined)
        return keyword === 'required' && value === undefined;
      const all = readings(String(value));
      if (all.some((each) => isValid(document, parameter.schema, each))) return false;
      const meant = all.filter((each) => follows('type', schema.type, schema, each));
      return meant.every((each) => !follows(keyword, limit, schema, each));
    }
    if (path === undefined) {
      return known.has('request') && draft.mediaType === undefined && draft.body === undefined;
    }
    if (!isWrong) return false;
    if (keyword !== 'required') {
      return valuesAt(draft.body, path).some((value) => !follows(keyword, limit, schema, value));
    }
    return valuesAt(draft.body, path.slice(0, -1)).some(
      (value) => isObject(value) && !Object.hasOwn(value, String(path.at(-1))),
    );
  };
  return constraints.filter(isViolated).map(({ constraint }) => constraint);
}

/** Another part of the schema may allow what one of its keywords does not. */
function isValid(document: ApiDocument, pointer: string | undefined, value: unknown): boolean {
  try {
    return pointer === undefined || document.validate(pointer, 'request', value) === undefined;
  } catch (error) {
    if (error instanceof UnusableSchema) return true;
    throw error;
  }
}

const ajv = new Ajv2020({ strict: false, logger: false });
const compiled = new Map<string, ValidateFunction | undefined>();

/**
 * Returns whether a value follows a single keyword of a schema. A keyword that refers to other schemas, or that
 * is invalid, is no constraint on its own.
 */
function follows(keyword: string, limit: unknown, schema: JsonObject, value: unknown): boolean {
  const names = keyword === 'additionalProperties' ? Object.keys(Object(schema.properties)) : [];
  const properties = Object.fromEntries(names.map((name) => [name, true]));
  const key = JSON.stringify({ properties, [keyword]: limit });
  if (!compiled.has(key)) {
    try {
      compiled.set(key, ajv.compile(JSON.parse(key)));
    } catch {
      compiled.set(key, undefined);
    }
  }
  return compiled.get(key)?.(value) ?? true;
}
