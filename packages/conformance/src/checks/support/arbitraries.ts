import * as fc from 'fast-check';
import type { CheckContext } from '../../context/check-context.ts';
import type { StorageOperation } from '../../context/storage-client.ts';
import { parseJson } from '../../http/exchange.ts';
import {
  JSON_TYPES,
  type JsonType,
  listRequestPlaces,
  type RequestSchema,
  readRequestSchema,
  replaceAt,
  spellPlace,
  toFieldText,
} from './requests.ts';

/** Seconds; accepted by every deployment for a public link. */
const LONGEST_AGE = 600;
/** Maximum number of items in a generated list. */
export const MOST_ITEMS = 3;

/** A request with exactly one fault. */
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
  return validRequest(t, operation)
    .chain((request) =>
      fc.record({
        request: fc.constant(request),
        place: fc.constantFrom(...listRequestPlaces(schema, request)),
        value: fc
          .constantFrom(...JSON_TYPES)
          .chain((type) => fc.tuple(fc.constant(type), VALUES[type])),
      }),
    )
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

/** Generates requests that lack a required top-level field but may have any other fields. */
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
