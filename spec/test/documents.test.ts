import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Any, readContract, SPEC } from '../generate/read.ts';

const { documents, gateway, storage, defaults } = readContract();

/** Yields every key in a value with its path. Skips examples, because they are data and not schema. */
function* walk(value: unknown, path: string[] = []): Generator<[string, string[], unknown]> {
  if (value === null || typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'examples' || key === 'example') continue;
    if (key === 'properties') for (const schema of Object.values(item)) yield* walk(schema, path);
    else {
      yield [key, path, item];
      yield* walk(item, [...path, key]);
    }
  }
}

const CLOSING = [
  ...['enum', 'const', 'format', 'minimum', 'maximum', 'multipleOf', 'minItems', 'maxItems'],
  ...['uniqueItems', 'minProperties', 'maxProperties', 'pattern', 'maxLength'],
];

describe.each(Object.keys(documents))('%s', (name) => {
  const document: Any = documents[name as keyof typeof documents];
  const entries = [...walk(document)];

  it('restricts nothing that the contract leaves open, but the names of services', () => {
    const found = entries.filter(
      ([key, , value]) =>
        CLOSING.includes(key) || (key === 'additionalProperties' && value !== true),
    );
    const places = found.map(([key, path]) => `${path.at(-1)} ${key}`);
    const names = ['ServiceName maxLength', 'ServiceName pattern'];
    expect(places.sort()).toEqual(name === 'gateway.v1' ? names : []);
  });

  it('lists every operation and component in its contents', () => {
    const [contents = ''] = readFileSync(join(SPEC, `${name}.yaml`), 'utf8').split('\nopenapi:');
    const words = new Set(contents.split(/[#\s,:]+/));
    const names = [
      ...entries.filter(([key]) => key === 'operationId').map(([, , id]) => id),
      ...Object.values<object>(document.components).flatMap(Object.keys),
    ];
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((each) => !words.has(String(each)))).toEqual([]);
  });

  it('has each of its extensions explained once in the README', () => {
    const readme = readFileSync(join(SPEC, 'README.md'), 'utf8');
    const used = new Set(entries.map(([key]) => key).filter((key) => key.startsWith('x-')));
    for (const extension of used) expect(readme.split(`### \`${extension}\``)).toHaveLength(2);
    expect(used.size).toBeGreaterThan(1);
  });

  // Some tools prefer the examples of a root schema to those of the media type, and would mix them up.
  it('has no examples in the schema of a content that has its own', () => {
    const { responses, schemas } = document.components;
    const contents = Object.values<Any>(responses).flatMap(({ content = {} }) =>
      Object.values<Any>(content),
    );
    const twice = contents.filter(({ schema, examples }) => {
      const { examples: own } = schemas[schema.$ref?.split('/').at(-1)] ?? schema;
      return own && examples;
    });
    expect(contents.length).toBeGreaterThan(3);
    expect(twice).toEqual([]);
  });
});

it('the documents and the defaults have the same codes and messages', () => {
  const rows: Any[] = defaults.gatewayErrors;
  const { schemas, examples } = gateway.components;
  const promised = rows.filter(({ strength }) => strength !== 'ours').map(({ code }) => code);
  expect(schemas.GatewayErrorCode.examples.toSorted()).toEqual(promised.toSorted());
  const errors = Object.values<Any>(examples).filter(({ value }) => value.code);
  expect(errors).toHaveLength(promised.length);
  for (const { value } of errors) {
    expect(value.message).toBe(rows.find(({ code }) => code === value.code).message);
  }
  expect(storage.components.schemas.ItemCode.examples[0]).toBe(defaults.itemCodes.success);
  for (const { code, retry } of [...rows, ...defaults.storageErrors, ...defaults.uploadErrors]) {
    expect(['any', 'idempotent', 'never'], code).toContain(retry);
  }
});
