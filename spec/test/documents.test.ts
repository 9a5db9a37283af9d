import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DOCUMENTS } from '../generate/read.ts';

const SPEC = join(import.meta.dirname, '..');
const OPEN_RULE = 'the contract restricts nothing that it leaves open';

function read(name: string) {
  return JSON.parse(readFileSync(join(SPEC, `generated/${name}.gen.json`), 'utf8'));
}

/** Yields every key in a value with its path. Skips examples, because they are data and not schema. */
function* walk(value: unknown, path: string[] = []): Generator<[string, string[], unknown]> {
  if (value === null || typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'examples' || key === 'example' || key === 'properties') {
      if (key === 'properties') for (const schema of Object.values(item)) yield* walk(schema, path);
      continue;
    }
    yield [key, path, item];
    yield* walk(item, [...path, key]);
  }
}

describe.each(DOCUMENTS)('%s', (name) => {
  const document = read(name);

  it.each([
    ...['enum', 'const', 'format', 'minimum', 'maximum', 'multipleOf'],
    ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
  ])(`${OPEN_RULE}: no %s`, (keyword) => {
    const found = [...walk(document)].filter(([key]) => key === keyword).map(([, path]) => path);
    expect(found).toEqual([]);
  });

  it('restricts only service names by pattern and length', () => {
    const found = [...walk(document)].filter(([key]) => key === 'pattern' || key === 'maxLength');
    expect(new Set(found.map(([, path]) => path.at(-1)))).toEqual(
      new Set(name === 'gateway.v1' ? ['ServiceName'] : []),
    );
  });

  it('lists every operation and component in its contents', () => {
    const [contents = ''] = readFileSync(join(SPEC, `${name}.yaml`), 'utf8').split('\nopenapi:');
    const words = new Set(contents.split(/[#\s,:]+/));
    const names = [
      ...[...walk(document)].filter(([key]) => key === 'operationId').map(([, , id]) => id),
      ...Object.values<object>(document.components).flatMap(Object.keys),
    ];
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((each) => !words.has(String(each)))).toEqual([]);
  });

  it('allows unknown properties', () => {
    const closed = [...walk(document)].filter(
      ([key, , value]) => key === 'additionalProperties' && value !== true,
    );
    expect(closed).toEqual([]);
  });

  it('explains each of its extensions in the README', () => {
    const readme = readFileSync(join(SPEC, 'README.md'), 'utf8');
    const extensions = new Set(
      [...walk(document)].map(([key]) => key).filter((key) => key.startsWith('x-')),
    );
    for (const extension of [...extensions].filter((key) => key.startsWith('x-berth-'))) {
      expect(readme).toContain(`### \`${extension}\``);
    }
    expect(extensions.size).toBeGreaterThan(1);
  });
});

it('has the code of a success as the first example of an item code', () => {
  const { ItemCode } = read('storage.v2').components.schemas;
  expect(ItemCode.examples[0]).toBe(read('defaults').itemCodes.success);
});

/** Some tools prefer the examples of a root schema to those of the media type, and would mix them up. */
it.each(DOCUMENTS)('%s has no examples in the schema of a content that has its own', (name) => {
  const { components } = read(name);
  const contents = Object.values<{ content?: object }>(components.responses).flatMap(
    ({ content = {} }) => Object.values(content),
  );
  const twice = contents.filter(({ schema, examples }) => {
    const { examples: own } = components.schemas[schema.$ref?.split('/').at(-1)] ?? schema;
    return own && examples;
  });
  expect(contents.length).toBeGreaterThan(3);
  expect(twice).toEqual([]);
});

describe('gateway error codes', () => {
  const rows: { code: string; strength: string; message: string }[] =
    read('defaults').gatewayErrors;
  const { schemas, examples } = read('gateway.v1').components;

  it('are the same in the document and in the defaults', () => {
    const promised = rows.filter(({ strength }) => strength !== 'ours').map(({ code }) => code);
    expect(schemas.GatewayErrorCode.examples.toSorted()).toEqual(promised.toSorted());
  });

  it('have the default message in each example', () => {
    const messages = new Map(rows.map(({ code, message }) => [code, message]));
    const errors = Object.values<{ value: { code?: string; message: string } }>(examples).filter(
      ({ value }) => value.code,
    );
    expect(errors).toHaveLength(schemas.GatewayErrorCode.examples.length);
    for (const { value } of errors) expect(value.message).toBe(messages.get(value.code as string));
  });
});
