import type { CheckContext } from '../../context/check-context.ts';
import type { StorageOperation } from '../../context/storage-client.ts';
import { documents } from '../../contract/documents.ts';
import {
  dereference,
  type MediaType,
  type Reference,
  type RequestBody,
} from '../../contract/openapi.ts';

export const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;

export type JsonType = (typeof JSON_TYPES)[number];

/** The schema of a field in a storage request, with its references resolved. */
export interface RequestSchema {
  type: JsonType;
  /** Fields of an object. */
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

/**
 * Returns the schema of a storage request as the contract documents it, with the fields at the top level
 * (D21).
 */
export function readRequestSchema(operation: StorageOperation): RequestSchema {
  const pointer = `#/paths/storages:${operation}`;
  const found = Object.values(document.paths).find((item) => item.post?.operationId === operation);
  const body = dereference<RequestBody>(
    document,
    found?.post?.requestBody ?? { $ref: pointer },
    pointer,
  );
  const { schema } = body.value.content['application/json'] as MediaType;
  const { oneOf } = schema as { oneOf: [Written | Reference] };
  return resolve(oneOf[0]);
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
interface RequestPlace {
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

/** Copies a request and replaces the value in one place. */
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
 */
export function sampleRequest(t: CheckContext, operation: StorageOperation): object {
  return toSample(t, readRequestSchema(operation), '', '1') as object;
}

function toSample(t: CheckContext, schema: RequestSchema, name: string, mark: string): unknown {
  const { type, properties, items } = schema;
  if (type === 'object') {
    const fields = Object.entries(properties);
    const values = fields.map(([field, of]) => [field, toSample(t, of, field, mark)] as const);
    return Object.fromEntries(values);
  }
  if (type === 'array' && items) return ['1', '2'].map((item) => toSample(t, items, '', item));
  if (type === 'number') return t.storage.maxAge(60);
  return type === 'boolean' ? false : toFieldText(t, name, `sample-${mark}-${name || 'item'}.txt`);
}

/** Returns a valid value for a text field: a path in the check's folder. */
export function toFieldText(t: CheckContext, field: string, leaf: string): string {
  const path = t.storage.path(leaf);
  return field === 'srcPath' || field === 'dstPath' ? t.storage.copyPath(path) : path;
}
