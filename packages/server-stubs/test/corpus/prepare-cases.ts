import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject, Pointer } from '../../generator/document.ts';

import { generate } from '../../generator/generate.ts';
import type { Direction } from '../../generator/schema/schema-store.ts';
import { collectExamples, type Example } from './collect-examples.ts';
import { writeFiles } from './compile-types.ts';
import { mutate } from './mutate.ts';
import { createRandom } from './random.ts';
import { type LocatedCase, routeCases } from './route-cases.ts';
import { writeSchemaValidators } from './write-schema-validators.ts';

const HELPERS = pathToFileURL(
  join(import.meta.dirname, '../../src/runtime/generated/ajv-helpers.gen.ts'),
).href;

export interface Preparation {
  /** Folder for the generated files, which is created. */
  readonly folder: string;
  readonly seed: number;
  /** Number of mutations of each example. */
  readonly mutations?: number;
}

/**
 * Generates a document and returns all its examples, each with mutations, as cases: once for a validator
 * of the schema next to the example, and once for the validator of each route with this schema.
 */
export async function prepareCases(
  document: JsonObject,
  direction: Direction,
  { folder, seed, mutations = 5 }: Preparation,
): Promise<LocatedCase[]> {
  const values = toValues(collectExamples(document), mutations, createRandom(seed));
  if (values.size === 0) return [];
  await writeFiles(folder, generate(document, { runtime: HELPERS }).files);
  const schemas = [...values.keys()];
  const module = join(folder, 'schema-validators.ts');
  await writeSchemaValidators(document, schemas, direction, module, HELPERS);
  return [
    ...[...values].map(([schema, each], index) => ({
      module,
      path: [`v${index}`],
      schema,
      values: each,
    })),
    ...routeCases(document, direction, join(folder, 'routes.gen.ts'), values),
  ];
}

/** Returns the examples of each schema, each followed by its mutations. */
function toValues(
  examples: readonly Example[],
  mutations: number,
  random: () => number,
): Map<Pointer, unknown[]> {
  const values = new Map<Pointer, unknown[]>();
  for (const { schema, value } of examples) {
    const list = values.get(schema) ?? [];
    list.push(value, ...Array.from({ length: mutations }, () => mutate(value, random)));
    values.set(schema, list);
  }
  return values;
}
