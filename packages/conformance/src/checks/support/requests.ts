import * as fc from 'fast-check';
import type { CheckContext } from '../../context/check-context.ts';
import type { StorageOperation } from '../../context/storage-client.ts';
import { dereference, type Reference } from '../../contract/openapi.ts';
import { documents } from '../../contract/operations.ts';
import { parseJson } from '../../http/exchange.ts';
import { toRequestPointer } from '../../validation/check-response.ts';

export const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;

export type JsonType = (typeof JSON_TYPES)[number];

/** The schema of a field in a storage request, with its references resolved. */
export interface RequestSchema {
  type: JsonType;
  required: readonly string[];
  properties: Readonly<Record<string, RequestSchema>>;
  items?: RequestSchema;
}

interface Written {
  type: JsonType;
  required?: string[];
  properties?: Record<string, Written | Reference>;
  items?: Written | Reference;
}

const { document } = documents.storage;

export function readRequestSchema(operation: StorageOperation): RequestSchema {
  return resolve({ $ref: toRequestPointer(operation) });
}

function resolve(node: Written | Reference): RequestSchema {
  const {
    type,
    required = [],
    properties = {},
    items,
  } = dereference<Written>(document, node, '#').value;
  const fields = Object.entries(properties).map(([name, field]) => [name, resolve(field)] as const);
  return {
    ...{ type, required, properties: Object.fromEntries(fields) },
    ...(items ? { items: resolve(items) } : {}),
  };
}

/** A place in a request: the request itself, a field, or a list item. */
export interface RequestPlace {
  path: readonly (string | number)[];
  /** The only JSON type that the contract allows there. */
  type: JsonType;
  /** Whether it is required; list items are. */
  required: boolean;
}

/**
 * Lists the places in a request that a schema describes, including optional fields that are absent.
 *
 * @param request a request that the schema allows
 */
export function listRequestPlaces(schema: RequestSchema, request: unknown): RequestPlace[] {
  return walk(schema, request, [], true);
}

function walk(
  { type, required, properties, items }: RequestSchema,
  value: unknown,
  path: RequestPlace['path'],
  isRequired: boolean,
): RequestPlace[] {
  const fields = Object.entries(properties).flatMap(([name, field]) =>
    walk(field, Object(value)[name], [...path, name], required.includes(name)),
  );
  const list = Array.isArray(value) && items ? value : [];
  const entries = list.flatMap((item, index) =>
    walk(items as RequestSchema, item, [...path, index], true),
  );
  return [{ path, type, required: isRequired }, ...fields, ...entries];
}

export function replaceAt(request: unknown, path: RequestPlace['path'], value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  const copy = Array.isArray(request) ? [...request] : { ...(request as object) };
  Object.assign(copy, { [head]: replaceAt(Object(request)[head], rest, value) });
  return copy;
}

/** Describes a place: `fileList[1].maxAge`, or `the body`. */
export function spellPlace(path: RequestPlace['path']): string {
  const spelled = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return spelled.join('').replace(/^\./, '') || 'the body';
}

/**
 * Creates a request that the contract allows, with every field and two items per list. It refers to files
 * that do not exist, and is the same in every run of a check.
 *
 * @param fileID an ID that the deployment issued, for a request that every deployment must accept: with one
 *   item per list, and without `maxAge`, because each deployment decides which lifetimes it accepts (D22)
 */
export function sampleRequest(
  t: CheckContext,
  operation: StorageOperation,
  fileID?: string,
): Record<string, unknown> {
  const toSample = (schema: RequestSchema, name: string, mark: string): unknown => {
    const { type, properties, items } = schema;
    if (type === 'object') {
      const fields = Object.entries(properties).filter(([field]) => !fileID || field !== 'maxAge');
      return Object.fromEntries(fields.map(([field, of]) => [field, toSample(of, field, mark)]));
    }
    if (type === 'array' && items)
      return (fileID ? ['1'] : ['1', '2']).map((item) => toSample(items, '', item));
    if (type === 'number') return t.storage.maxAge(60);
    if (type === 'boolean') return false;
    if (fileID && (name === 'fileID' || name === '')) return fileID;
    return toFieldText(t, name, `sample-${mark}-${name || 'item'}.txt`);
  };
  return toSample(readRequestSchema(operation), '', '1') as Record<string, unknown>;
}

/** Returns a valid value for a text field: a path in the check's folder. */
function toFieldText(t: CheckContext, field: string, leaf: string): string {
  const path = t.storage.path(leaf);
  return field === 'srcPath' || field === 'dstPath' ? t.storage.copyPath(path) : path;
}

/** Seconds; accepted by every deployment for a public link. */
const LONGEST_AGE = 600;
export const MOST_ITEMS = 3;
/** Many times the number of places of a request, so that each is chosen about equally often. */
const MOST_PLACES = 1000;

export interface FaultyRequest {
  /** The fields; any value if the body is not an object. */
  fields: unknown;
  /** A description of the fault: `fileList[0] is a number`. */
  fault: string;
  /** The complete body, if it is not that of the fields. */
  body?: string;
}

/**
 * Generates requests that the contract's schema allows. The requests refer to files in the check's folder
 * that do not exist. Their lists have 1 to 3 items.
 *
 * @param fileIds one valid file ID of the deployment per list item, for requests that must not be rejected
 *   because of the form of the ID. Default: strings that are not file IDs
 */
export function validRequest(
  t: CheckContext,
  operation: StorageOperation,
  fileIds: readonly string[] = [],
): fc.Arbitrary<object> {
  const requests = toArbitrary(t, readRequestSchema(operation), '') as fc.Arbitrary<object>;
  if (fileIds.length === 0 || operation === 'batchCopyFile') return requests;
  return requests.map((request) => {
    const { fileList } = Object(request);
    if (!Array.isArray(fileList)) return request;
    const named = fileList.map((item, index) =>
      typeof item === 'string' ? fileIds[index] : { ...item, fileID: fileIds[index] },
    );
    return { ...request, fileList: named };
  });
}

function toArbitrary(t: CheckContext, schema: RequestSchema, name: string): fc.Arbitrary<unknown> {
  const { type, required, properties, items } = schema;
  if (type === 'object') {
    const fields = Object.entries(properties).map(([field, of]) => [
      field,
      toArbitrary(t, of, field),
    ]);
    const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields);
    return fc.record(model, { requiredKeys: [...required] });
  }
  if (type === 'array' && items) {
    return fc.array(toArbitrary(t, items, ''), { minLength: 1, maxLength: MOST_ITEMS });
  }
  if (type === 'boolean') return fc.boolean();
  if (type === 'number') {
    return fc.integer({ min: 1, max: LONGEST_AGE }).map((seconds) => t.storage.maxAge(seconds));
  }
  return LEAF.map((leaf) => toFieldText(t, name, leaf));
}

/**
 * Last segment of a generated path. Created once, because what fast-check derives from a pattern is
 * expensive.
 */
const LEAF = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 1,
  maxLength: 12,
});

/**
 * Generates requests in which one value has a JSON type that the schema does not allow. That value is the
 * body, a field or a list item. `null` is used only for required values, because some servers treat it like
 * an omitted field.
 */
export function wrongTypeRequest(
  t: CheckContext,
  operation: StorageOperation,
): fc.Arbitrary<FaultyRequest> {
  const schema = readRequestSchema(operation);
  const typed = fc
    .constantFrom(...JSON_TYPES)
    .chain((type) => fc.tuple(fc.constant(type), VALUES[type]));
  // The place is not chained to the request, or the request could not be shrunk.
  return fc
    .tuple(validRequest(t, operation), fc.nat({ max: MOST_PLACES }), typed)
    .map(([request, at, value]) => {
      const places = listRequestPlaces(schema, request);
      return { request, place: places[at % places.length] as RequestPlace, value };
    })
    .filter(({ place, value: [type] }) => isWrongType(place, type))
    .map(({ request, place, value: [type, value] }) => ({
      fields: replaceAt(request, place.path, value),
      fault: `${spellPlace(place.path)} is ${spellType(type)}`,
    }));
}

/** Returns whether a deployment must reject a value of this type in this place. */
export function isWrongType(place: { type: JsonType; required: boolean }, type: JsonType): boolean {
  return type !== place.type && (type !== 'null' || place.required);
}

/** Returns a JSON type with its article: `an array`, `null`. */
export function spellType(type: JsonType): string {
  if (type === 'null') return type;
  return /^[ao]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Values of each JSON type, including those that a lax server mistakes for another type. */
const VALUES: Record<JsonType, fc.Arbitrary<unknown>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  number: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  string: fc.oneof(fc.constantFrom('', '0', '60', 'true', 'null', '[]', '{}'), fc.string()),
  array: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }),
  object: fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
};

export function lackingRequest(operation: StorageOperation): fc.Arbitrary<FaultyRequest> {
  const { required } = readRequestSchema(operation);
  // `data` may contain the fields (D21), and some servers do not distinguish `Path` from `path`.
  const known = new Set([...required, 'data'].map((name) => name.toLowerCase()));
  const names = fc.string({ maxLength: 10 }).filter((name) => !known.has(name.toLowerCase()));
  return fc
    .dictionary(names, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
    .map((fields) => ({ fields, fault: `${required.join(' and ')} is missing` }));
}

/** Generates strings that are not JSON, by removing, inserting or cutting off a part of valid JSON. */
export function brokenJson(text: string): fc.Arbitrary<string> {
  const at = fc.nat({ max: text.length - 1 });
  return fc
    .oneof(
      at.map((end) => text.slice(0, end)),
      at.map((place) => text.slice(0, place) + text.slice(place + 1)),
      fc
        .tuple(at, fc.constantFrom(...'{}[]",:\\x0-\n'))
        .map(([place, put]) => text.slice(0, place) + put + text.slice(place)),
      fc.string({ minLength: 1, maxLength: 5 }).map((tail) => text + tail),
    )
    .filter((broken) => parseJson(broken) === undefined);
}
