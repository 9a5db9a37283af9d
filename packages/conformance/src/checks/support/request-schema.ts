import { dereference } from '../../contract/dereference.ts';
import { documents } from '../../contract/documents.ts';
import type { MediaType, Reference, RequestBody } from '../../contract/openapi.ts';
import type { StorageOperation } from '../../trial/storage-tool.ts';

export const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

/** What a field of a storage request may hold; references are resolved. */
export interface RequestSchema {
  type: JsonType;
  /** Of an object. */
  required: readonly string[];
  properties: Readonly<Record<string, RequestSchema>>;
  /** Of an array. */
  items?: RequestSchema;
}

interface Written {
  type: JsonType;
  required?: string[];
  properties?: Record<string, Written | Reference>;
  items?: Written | Reference;
}

const { document } = documents.storage;

/** The fields of a storage request as the contract documents them, at the top level (D21). */
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
