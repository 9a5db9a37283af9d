import type { StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { type RequestSchema, readRequestSchema } from './request-schema.ts';

/**
 * A request that the contract allows, always the same for a check: every field, two items in a list. It
 * names files that do not exist.
 */
export function sampleRequest(t: Trial, operation: StorageOperation): object {
  return toSample(t, readRequestSchema(operation), '', '1') as object;
}

function toSample(t: Trial, schema: RequestSchema, name: string, mark: string): unknown {
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

/** A text that the contract allows in a field: a path under the folder of the check. */
export function toFieldText(t: Trial, field: string, leaf: string): string {
  const path = t.storage.path(leaf);
  return field === 'srcPath' || field === 'dstPath' ? t.storage.copyPath(path) : path;
}
