import {
  entriesOf,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  toList,
} from '../../generator/document.ts';

import { isSchema, type Schema, visitSubschemas } from '../../generator/schema/schema.ts';

/** A schema in a document, and an example value for it. */
export interface Example {
  readonly schema: Pointer;
  readonly value: unknown;
}

/** Keys whose values are not part of the document. */
const PAYLOADS = ['example', 'examples', 'default', 'enum', 'const', 'links', 'webhooks'];

/** Collects all examples in a document: in media types, parameters and headers, and in schemas at any depth. */
export function collectExamples(document: JsonObject): Example[] {
  const found: Example[] = [];
  visit(document, '#', false);
  return found;

  /** @param isMap whether the keys are user-defined names */
  function visit(node: unknown, pointer: Pointer, isMap: boolean): void {
    if (Array.isArray(node)) {
      for (const [index, each] of node.entries()) visit(each, join(pointer, index), false);
      return;
    }
    if (!isObject(node)) return;
    if (pointer === '#/components/schemas') {
      for (const [name, schema] of Object.entries(node)) visitSchema(schema, join(pointer, name));
      return;
    }
    if (!isMap && isSchema(node.schema)) {
      const at = join(pointer, 'schema');
      for (const value of examplesOf(node)) found.push({ schema: at, value });
      visitSchema(node.schema, at);
    }
    for (const [key, value] of Object.entries(node)) {
      const isPayload = !isMap && (PAYLOADS.includes(key) || key.startsWith('x-'));
      if (isPayload || (!isMap && key === 'schema')) continue;
      visit(value, join(pointer, key), MAPS.includes(key) && !isMap);
    }
  }

  function visitSchema(schema: unknown, pointer: Pointer): void {
    if (!isObject(schema)) return;
    if ('example' in schema) found.push({ schema: pointer, value: schema.example });
    for (const value of toList(schema.examples)) found.push({ schema: pointer, value });
    visitSubschemas(schema as Exclude<Schema, boolean>, pointer, visitSchema);
  }

  function examplesOf(node: JsonObject): unknown[] {
    const named = entriesOf(node.examples).flatMap(([, entry]) => {
      const target =
        isObject(entry) && typeof entry.$ref === 'string' ? resolve(entry.$ref) : entry;
      return isObject(target) && 'value' in target ? [target.value] : [];
    });
    return 'example' in node ? [node.example, ...named] : named;
  }

  function resolve(ref: string): unknown {
    const names = ref.split('/').slice(1);
    return names.reduce<unknown>(
      (node, name) =>
        isObject(node) ? node[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined,
      document,
    );
  }
}

const MAPS = [
  'paths',
  'content',
  'responses',
  'headers',
  'parameters',
  'requestBodies',
  'callbacks',
];
