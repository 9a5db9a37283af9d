import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generate } from '../generator/generate.ts';
import type { RouteTable } from '../src/runtime/index.ts';
import { RUNTIME, writeFiles } from './corpus/generated.ts';

// Body properties named like members of every object.
const NAMES = ['constructor', 'toString', 'valueOf'];
const OPTIONAL = 'hasOwnProperty';

let folder: string;
let validate: (body: unknown) => boolean;

beforeAll(async () => {
  folder = await mkdtemp(join(import.meta.dirname, '../node_modules/.inherited-'));
  const schema = {
    type: 'object',
    required: NAMES,
    properties: Object.fromEntries([...NAMES, OPTIONAL].map((name) => [name, { type: 'string' }])),
    additionalProperties: false,
  };
  const content = { 'application/json': { schema } };
  const responses = { 204: { description: 'Done.' } };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Names', version: '1.0.0' },
    paths: { '/': { post: { operationId: 'post', requestBody: { content }, responses } } },
  };
  const { files } = generate(document, { runtime: RUNTIME });
  await writeFiles(folder, files);
  const { routes }: { routes: RouteTable } = await import(join(folder, 'routes.gen.ts'));
  validate = routes.routes[0]?.body?.content[0]?.validate as typeof validate;
});
afterAll(() => rm(folder, { recursive: true }));

const whole = () => JSON.parse(`{${NAMES.map((name) => `"${name}":"a"`).join()}}`);

test('a body with all required properties is valid', () => {
  expect(validate(whole())).toBe(true);
  expect(validate({ ...whole(), [OPTIONAL]: 'a' })).toBe(true);
});

test.each(NAMES)('a body without %s is refused', (name) => {
  const body = whole();
  delete body[name];
  expect(validate(body)).toBe(false);
});

test.each([...NAMES, OPTIONAL])('a body with %s of another type is refused', (name) => {
  const body = whole();
  Object.defineProperty(body, name, { value: 1, enumerable: true, configurable: true });
  expect(validate(body)).toBe(false);
});
