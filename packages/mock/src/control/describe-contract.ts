import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Operation } from '../contract/contract.ts';
import { downloads } from './pages.ts';

/** Describes the operations with their examples, and the contract's error tables and documents. */
export function describeContract(operations: readonly Operation[]) {
  return {
    operations: operations.map(describe),
    errors: {
      gateway: toErrors(defaults.gatewayErrors),
      storage: toErrors(defaults.storageErrors),
      upload: toErrors(defaults.uploadErrors),
    },
    documents: downloads.map(({ path, title, type }) => ({ path: `/__mock/${path}`, title, type })),
  };
}

function describe(operation: Operation) {
  const { id, surface, method, path, summary, description } = operation;
  const [request] = Object.values(listExamples('', operation.request));
  const examples = Object.entries(operation.responses).flatMap(([status, { content }]) =>
    Object.entries(listExamples(`${status} `, content)),
  );
  return {
    operationId: id,
    surface,
    method: method.toUpperCase(),
    path,
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description: description.trim() }),
    ...(request !== undefined && { request }),
    /** By `200 application/json`, or `200 application/json hello` for a named one. */
    examples: Object.fromEntries(examples),
  };
}

function listExamples(prefix: string, content: Operation['request'] = {}): Record<string, unknown> {
  const list: [string, unknown][] = [];
  for (const [type, { schema, examples = {} }] of Object.entries(content)) {
    const named = Object.entries(examples) as [string, { value?: unknown }][];
    for (const [name, { value }] of named) list.push([`${prefix}${type} ${name}`, value]);
    const [first] = schema.examples ?? [];
    if (named.length === 0 && first !== undefined) list.push([`${prefix}${type}`, first]);
  }
  return Object.fromEntries(list);
}

function toErrors(rows: readonly { code: string; status: number; message: string }[]) {
  return rows.map(({ code, status, message }) => ({ code, status, message }));
}
