import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { RefusedError } from '../generator/document.ts';
import { generate } from '../generator/generate.ts';
import { compareVerdicts, prepareCases } from './corpus/cases.ts';
import { createOracle } from './corpus/create-oracle.ts';
import { features, readPublicDocuments } from './corpus/documents.ts';
import {
  callAll,
  compileTypes,
  createSourceFolder,
  RUNTIME,
  withRelativeRuntime,
  writeFiles,
} from './corpus/generated.ts';

/** Documents without an operation. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  '3.1/webhooks.json': /This document has no operations/,
};

const FRAGMENTS = [
  /because requests have none/,
  /because requests have none/,
  /matches the same requests as #\/paths\/~1cookies\/get/,
  /matches the same requests as #\/paths\/~1cookies\/get/,
];

/** By document, what is left out or not checked. */
const WARNINGS: Readonly<Record<string, readonly RegExp[]>> = {
  '3.0/parameters-common.json': [/\{id\} twice, so one is named id2/],
  '3.0/parameters-style.json': FRAGMENTS,
  '3.0/response-http-behavior.json': [/There is no security scheme "api_key"/],
  '3.1/parameters-style.json': FRAGMENTS,
  '3.1/schema-validation-local.json': [
    /draft-04.* is not supported/,
    /draft-05.* is not supported/,
    /draft-06.* is not supported/,
    /draft-07.* is not supported/,
    /2019-09.* is not supported/,
  ],
  '3.1/schema-validation-top-level.json': [/draft-04.* is not supported/],
  'galaxy.json': [/#itemType may refer to several schemas/],
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
const seed = Number(process.env.SEED ?? 20_261_121);

describe('public documents', () => {
  const generated = new Map<string, ReturnType<typeof generate>>();
  beforeAll(() => {
    for (const { name, document } of documents) {
      generated.set(name, generate(document, { runtime: RUNTIME }));
    }
  });

  it('are generated, or refused without an operation', () => {
    expect(documents.length).toBeGreaterThan(50);
    for (const [name, { warnings }] of generated) {
      const messages = warnings.map(({ message }) => message);
      expect({ name, messages }).toEqual({
        name,
        messages: (WARNINGS[name] ?? []).map((each) => expect.stringMatching(each)),
      });
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
    expect(await compileTypes(root, 7)).toBe('');
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

  it(`agree with Ajv on all examples and their mutations (SEED=${seed})`, async () => {
    const root = await mkdtemp(join(tmpdir(), 'berth-verdicts-'));
    let judged = 0;
    for (const { name, document } of [...documents, { name: 'features', document: features }]) {
      for (const direction of ['request', 'response'] as const) {
        const folder = join(root, `${name.replaceAll('/', '-')}-${direction}`);
        const cases = await prepareCases(document, direction, folder, seed);
        const result = compareVerdicts(cases, createOracle(document, direction));
        expect(result.differing, `${name} ${direction}`).toEqual([]);
        judged += result.judged;
      }
    }
    expect(judged).toBeGreaterThan(3000);
    await rm(root, { recursive: true });
  });
});
