import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { DOCUMENTS } from '../scripts/generate/bundle.ts';

const SPEC = join(import.meta.dirname, '..');

const read = (file: string) => readFileSync(join(SPEC, file), 'utf8');

it.each(['default', 'acme'])('the wire profile %s fits its schema', (name) => {
  const validate = new Ajv2020().compile(
    JSON.parse(read('wire-profiles/wire-profile.schema.json')),
  );
  validate(JSON.parse(read(`wire-profiles/${name}.json`)));
  expect(validate.errors).toBeNull();
});

it('the documents contain every neutral name', () => {
  const { name, $schema, ...profile } = JSON.parse(read('wire-profiles/default.json'));
  const names: string[] = Object.values<string | object>(profile).flatMap((value) =>
    typeof value === 'string' ? [value] : Object.values(value),
  );
  const documents = DOCUMENTS.map((document) => read(`generated/${document}.gen.json`)).join();
  expect(names).toHaveLength(7);
  expect(names.filter((each) => !documents.includes(each))).toEqual([]);
});
