import type { CheckContext } from '../../context/check-context.ts';
import type { StorageOperation } from '../../context/storage-client.ts';
import { dereference, type Reference } from '../../contract/openapi.ts';
import { documents } from '../../contract/operations.ts';
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

/** Returns whether a deployment must reject a value of this type in this place. */
export function isWrongType(place: { type: JsonType; required: boolean }, type: JsonType): boolean {
  return type !== place.type && (type !== 'null' || place.required);
}

/** Returns a JSON type with its article: `an array`, `null`. */
export function spellType(type: JsonType): string {
  if (type === 'null') return type;
  return /^[ao]/.test(type) ? `an ${type}` : `a ${type}`;
}
