import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  entriesOf,
  isObject,
  type JsonObject,
  type Pointer,
  Problems,
  toList,
  join as toPointer,
  valueAt,
} from '../../generator/document.ts';
import { generate } from '../../generator/generate.ts';
import { Names } from '../../generator/names.ts';
import { readModel } from '../../generator/operations/read-model.ts';
import { isSchema, type Schema, visitSubschemas } from '../../generator/schema/schema.ts';
import { type Direction, SchemaNames } from '../../generator/schema/schema-store.ts';
import { compileValidators } from '../../generator/validators/compile-validators.ts';
import { ValidatorPlan } from '../../generator/validators/validator-plan.ts';
import type { RouteTable } from '../../src/runtime/index.ts';
import { load, writeFiles } from './generated.ts';
import { createRandom, pick } from './random.ts';

const HELPERS = pathToFileURL(
  join(import.meta.dirname, '../../src/runtime/generated/ajv-helpers.gen.ts'),
).href;

/** Number of mutations of each example. */
const MUTATIONS = 5;

/** A generated validator of a schema, and values for it. */
export interface Case {
  readonly schema: Pointer;
  readonly values: readonly unknown[];
  readonly validate: (value: unknown) => boolean;
}

export interface Comparison {
  readonly judged: number;
  readonly accepted: number;
  /** Where the generated validator and Ajv disagree. */
  readonly differing: readonly { schema: Pointer; value: unknown; ours: boolean }[];
}

/** Compares the verdicts of generated validators with those of an oracle. */
export function compareVerdicts(
  cases: readonly Case[],
  oracle: (schema: Pointer, value: unknown) => boolean,
): Comparison {
  const all = cases.flatMap(({ schema, values, validate }) =>
    // A form validator converts the values that it gets.
    values.map((value) => ({ schema, value, ours: validate(structuredClone(value)) })),
  );
  return {
    judged: all.length,
    accepted: all.filter(({ ours }) => ours).length,
    differing: all.filter(({ schema, value, ours }) => oracle(schema, value) !== ours),
  };
}

/**
 * Generates a document into a folder, and returns all its examples, each with mutations, as cases: once for
 * a validator of the schema next to the example, and once for the validator of each route with this schema.
 */
export async function prepareCases(
  document: JsonObject,
  direction: Direction,
  folder: string,
  seed: number,
): Promise<Case[]> {
  const random = createRandom(seed);
  const values = new Map<Pointer, unknown[]>();
  for (const { schema, value } of collectExamples(document)) {
    const list = values.get(schema) ?? [];
    list.push(value, ...Array.from({ length: MUTATIONS }, () => mutate(value, random)));
    values.set(schema, list);
  }
  if (values.size === 0) return [];
  await writeFiles(folder, generate(document, { runtime: HELPERS }).files);
  const problems = new Problems();
  const { store, operations } = readModel(document, problems);
  const plan = new ValidatorPlan(store, new SchemaNames(new Names()), direction);
  const entries = [...values.keys()].map((pointer, index) => ({
    name: `v${index}`,
    schema: store.get(pointer),
    pointer,
    isForm: false,
  }));
  Object.defineProperty(plan, 'entries', { value: entries });
  await writeFile(join(folder, 'schemas.ts'), compileValidators(plan, HELPERS, problems));
  const validators = load(join(folder, 'schemas.ts'));
  const { routes }: RouteTable = load(join(folder, 'routes.gen.ts')).routes;
  const inRoutes = operations.flatMap(({ body, responses }, index) => {
    const models = direction === 'request' ? [body] : responses;
    const contents = direction === 'request' ? [routes[index]?.body] : routes[index]?.responses;
    return models.flatMap((model, at) =>
      (model?.contents ?? []).flatMap(({ pointer, kind }, each) => {
        const found = kind === 'json' ? values.get(pointer) : undefined;
        if (found === undefined) return [];
        const validate = contents?.[at]?.content[each]?.validate;
        if (validate === undefined) throw new TypeError(`${pointer} is not validated`);
        return [{ schema: pointer, values: found, validate }];
      }),
    );
  });
  return [
    ...entries.map(({ name, pointer }) => ({
      schema: pointer,
      values: values.get(pointer) ?? [],
      validate: validators[name],
    })),
    ...inRoutes,
  ];
}

interface Example {
  readonly schema: Pointer;
  readonly value: unknown;
}

/** Keys whose values are not part of the document. */
const PAYLOADS = ['example', 'examples', 'default', 'enum', 'const', 'links', 'webhooks'];

/** Keys whose values have user-defined names. */
const MAPS = 'paths content responses headers parameters requestBodies callbacks'.split(' ');

/** Collects all examples in a document: in media types, parameters and headers, and in schemas at any depth. */
function collectExamples(document: JsonObject): Example[] {
  const found: Example[] = [];
  visit(document, '#', false);
  return found;

  /** @param isMap whether the keys are user-defined names */
  function visit(node: unknown, pointer: Pointer, isMap: boolean): void {
    if (Array.isArray(node)) {
      for (const [index, each] of node.entries()) visit(each, toPointer(pointer, index), false);
      return;
    }
    if (!isObject(node)) return;
    if (pointer === '#/components/schemas') {
      for (const [name, schema] of Object.entries(node))
        visitSchema(schema, toPointer(pointer, name));
      return;
    }
    if (!isMap && isSchema(node.schema)) {
      const at = toPointer(pointer, 'schema');
      for (const value of examplesOf(node)) found.push({ schema: at, value });
      visitSchema(node.schema, at);
    }
    for (const [key, value] of Object.entries(node)) {
      const isPayload = !isMap && (PAYLOADS.includes(key) || key.startsWith('x-'));
      if (isPayload || (!isMap && key === 'schema')) continue;
      visit(value, toPointer(pointer, key), MAPS.includes(key) && !isMap);
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
      const isReference = isObject(entry) && typeof entry.$ref === 'string';
      const target = isReference ? valueAt(document, String(entry.$ref)) : entry;
      return isObject(target) && 'value' in target ? [target.value] : [];
    });
    return 'example' in node ? [node.example, ...named] : named;
  }
}

type Path = readonly (string | number)[];

const OTHERS = [
  ...[null, true, 0, -1, 1.5, 1e21, '', 'x', '2020-13-40', 'https://a.example/ b', [], {}],
] as const;

/** Copies a JSON value with one random change. */
function mutate(value: unknown, random: () => number): unknown {
  const copy = structuredClone(value);
  const path = pick([[] as Path, ...pathsOf(copy)], random);
  const last = path.at(-1);
  if (last === undefined) return mutateHere(copy, random);
  const parent = path.slice(0, -1).reduce((node, key) => (node as never)[key], copy) as never;
  if (random() < 0.3 && !Array.isArray(parent)) delete parent[last];
  else (parent as Record<string | number, unknown>)[last] = mutateHere(parent[last], random);
  return copy;
}

function mutateHere(value: unknown, random: () => number): unknown {
  const change = random();
  if (change < 0.5) return structuredClone(pick(OTHERS, random));
  if (typeof value === 'string') return change < 0.75 ? `${value}!` : value.slice(0, -1);
  if (typeof value === 'number') return change < 0.75 ? -value - 1 : value + 0.5;
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return change < 0.75 ? [...value, ...value] : [...value, null];
  if (typeof value === 'object' && value !== null) return { ...value, unheardOf: 1 };
  return 'null';
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [[...path, key], ...pathsOf((value as never)[key], [...path, key])]);
}
