import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { RefusedError } from '../generator/document.ts';
import { generate } from '../generator/generate.ts';
import { readPublicDocuments } from './corpus/documents.ts';
import {
  callAll,
  compileTypes,
  createSourceFolder,
  RUNTIME,
  withRelativeRuntime,
  writeFiles,
} from './corpus/generated.ts';

/** Documents that are invalid, or have no operation. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  '3.0/parameters-common.json': /The path has \{id\} twice/,
  '3.0/parameters-style.json': /A path has no query and no fragment/,
  '3.0/response-http-behavior.json': /There is no security scheme "api_key"/,
  '3.1/parameters-style.json': /A path has no query and no fragment/,
  '3.1/schema-validation-local.json': /it must be number/,
  '3.1/schema-validation-top-level.json': /it must be number/,
  '3.1/webhooks.json': /This document has no operations/,
};

/** By document, what is not checked or not served. */
const WARNINGS: Readonly<Record<string, RegExp>> = {
  '3.0/circular-paths.json': /is read as JSON/,
  '3.0/server-path-level.json': /Only the path of the first server/,
  '3.0/server-variables.json': /Only the path of the first server/,
  'galaxy.json': /A \$dynamicRef is not checked/,
};

/** Documents with the most routes and schemas. */
const STARTED = [
  '3.0/petstore.json',
  '3.0/star-trek.json',
  '3.1/train-travel.json',
  '3.1/readme.json',
];

const all = readPublicDocuments();
const documents = all.filter(({ name }) => !(name in REFUSED));

describe('public documents', () => {
  const generated = new Map<string, ReturnType<typeof generate>>();
  beforeAll(() => {
    for (const { name, document } of documents) {
      generated.set(name, generate(document, { runtime: RUNTIME }));
    }
  });

  it('are generated, or refused if they are invalid', () => {
    expect(documents.length).toBeGreaterThan(40);
    for (const [name, { warnings }] of generated) {
      for (const { message } of warnings) expect(message).toMatch(WARNINGS[name] ?? /^$/);
    }
    for (const [name, reason] of Object.entries(REFUSED)) {
      const refused = () => generate(all.find((each) => each.name === name)?.document);
      expect(refused, name).toThrow(RefusedError);
      expect(refused, name).toThrow(reason);
    }
  });

  it('produce types that compile in strict mode', async () => {
    const root = await createSourceFolder('public');
    for (const [name, { files }] of generated) {
      await writeFiles(join(root, name.replaceAll('/', '-')), withRelativeRuntime(files, 2));
    }
    expect(await compileTypes(root)).toBe('');
  });

  it('produce servers that start and serve every operation', async () => {
    const root = await mkdtemp(join(tmpdir(), 'berth-servers-'));
    for (const name of STARTED) {
      const folder = join(root, name.replaceAll('/', '-'));
      await writeFiles(folder, generated.get(name)?.files ?? new Map());
      const statuses = await callAll(folder);
      expect(statuses, name).toHaveProperty('501');
      expect(
        Object.keys(statuses).filter((status) => !/^4|501/.test(status)),
        name,
      ).toEqual([]);
      expect(statuses, name).not.toHaveProperty('404');
    }
    await rm(root, { recursive: true });
  });
});
