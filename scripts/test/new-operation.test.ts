import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyCheckout } from '../checkout.ts';

// An invented operation, added to a copy of the repository in the five places that
// `docs/guides/new-operation.md` lists.

const PATH = '/api/v2/envs/{envId}/storages:countFiles';

const OPERATION = `
parameters:
  - $ref: ../components/parameters/EnvId.yaml
post:
  operationId: countFiles
  tags: [Files]
  summary: Count files
  description: Returns the number of files below a folder.
  requestBody:
    $ref: ../components/requestBodies/CountFiles.yaml
  responses:
    '200':
      description: The number of files.
      content:
        application/json:
          schema:
            type: object
            required: [statusCode, body]
            properties:
              statusCode: { $ref: ../components/schemas/StatusCode.yaml }
              body:
                type: object
                properties:
                  requestId: { $ref: ../components/schemas/RequestId.yaml }
                  data:
                    type: object
                    required: [count]
                    properties: { count: { type: integer } }
          examples:
            success:
              value: { statusCode: 200, body: { requestId: 7c2a4b8e, data: { count: 12 } } }
    4XX:
      $ref: ../components/responses/Refused.yaml
    default:
      $ref: ../components/responses/Failed.yaml
`;

const REQUEST = `
required: true
content:
  application/json:
    schema:
      x-berth-unwrap: data
      oneOf:
        - &fields
          type: object
          required: [folder]
          properties: { folder: { type: string } }
        - type: object
          required: [data]
          properties: { data: *fields }
`;

const RULE = `
- id: ST-COUNT-CALL
  level: MUST
  statement: '\`countFiles\` returns \`count\`, an integer.'
  source: [What the service does › Storage]
  operations: [countFiles]
  documents: storage.v2
  places: ['storage.v2#/paths/${PATH.replaceAll('/', '~1')}/post']
`;

const CHECK = `
  defineCheck('ST-COUNT-CALL', ['storageCredentials'], async (t) => {
    const reply = await t.storage.call('countFiles', { folder: t.storage.path('') });
    t.expect(Number.isInteger(reply.data?.count), 'count must be an integer', reply);
  }),
`;

const MUTANT = `
  'ST-COUNT-CALL': {
    'the count is a string': {
      response(response, { operation }) {
        if (operation !== 'countFiles') return;
        response.json = { statusCode: 200, body: { requestId: 'a', data: { count: '7' } } };
      },
    },
  },
`;

const HANDLER = `
    countFiles: async ({ folder }) => ({ count: folder.length }),
`;

/** Compiles only if the client and the stubs have its types. */
const TYPES = `
import type { createStorageClient } from '@berth/client';
import type { StorageHandlers } from '@berth/server-stubs';

export const handlers: StorageHandlers = { countFiles: ({ folder }) => ({ count: folder.length }) };

export async function countFiles(client: ReturnType<typeof createStorageClient>): Promise<number> {
  const { data } = await client.POST('${PATH}', { body: { folder: 'reports' } });
  return data?.body.data?.count ?? 0;
}
// @ts-expect-error folder is a string
export const wrong: StorageHandlers = { countFiles: ({ folder }) => ({ count: folder * 2 }) };
`;

/** Runs the mock, and runs the suite's storage rules on a server, and the new one on its mutant. */
const RUN = `
import contract from '@berth/spec/rules.json' with { type: 'json' };
import { createStorageClient } from '@berth/client';
import { createMock } from '@berth/mock';
import { checkMutant } from '../proof/src/check-mutant.ts';
import { mutants } from '../proof/src/mutants/index.ts';
import { startMutated } from '../proof/src/start-mutated.ts';

const credentials = () => ({ authorization: '1.0 TC3-HMAC-SHA256 Credential=id, SignedHeaders=host, Signature=0', timestamp: 1700000000 });
const mock = await createMock({ port: 0 });
const storage = createStorageClient({ baseUrl: mock.storageUrl, envId: 'dev', credentials });
const call = (body) => storage.POST('${PATH}', { body });
const [good, bad] = [await call({ folder: 'reports' }), await call({ folder: 7 })];
await mock.close();

const mutated = await startMutated();
const check = async (mutant, rules) => {
  const { report } = await checkMutant(mutated, mutant, rules);
  const others = report.results.filter(({ id, outcome }) => rules.includes(id) && !['pass', 'disabled'].includes(outcome));
  return others.map(({ id, outcome, reason }) => [id, outcome, reason].join(' ').trim());
};
const mutant = mutants.find(({ rule }) => rule === 'ST-COUNT-CALL');
const rules = contract.rules.filter(({ id, level }) => /^(ST|AU-STORAGE)-/.test(id) && level !== 'info');
const suite = {
  mutant: await check(mutant, ['ST-COUNT-CALL']),
  server: await check({ ...mutant, create: () => ({}) }, rules.map(({ id }) => id)),
};
await mutated.close();
process.stdout.write(JSON.stringify({
  mock: [good.data?.body.data, bad.response.status],
  suite,
}));
`;

let folder: string;

beforeAll(() => {
  folder = copyCheckout();

  // 1. The operation, its request body, and its line in the document.
  writeFileSync(join(folder, 'spec/storage.v2/paths/count-files.yaml'), OPERATION);
  writeFileSync(join(folder, 'spec/storage.v2/components/requestBodies/CountFiles.yaml'), REQUEST);
  insert(
    'spec/storage.v2/openapi.yaml',
    'paths:\n',
    `  ${PATH}:\n    $ref: paths/count-files.yaml\n`,
  );
  // 2. Its rules, and the next version of the rule set.
  insert('spec/rules/index.yaml', 'version: 1.', '1.0 #');
  appendFileSync(join(folder, 'spec/rules/storage-delete.yaml'), RULE);
  // 3. Whether it may be retried, and whether it changes files.
  appendFileSync(
    join(folder, 'spec/defaults/operations.yaml'),
    'countFiles:\n  idempotent: true\n  changesFiles: false\n',
  );
  // 4. A check for each rule, and a mutant for each check.
  insert(
    'packages/conformance/src/checks/storage-delete.ts',
    'export const storageDelete: readonly Check[] = [',
    CHECK,
  );
  insert(
    'packages/proof/src/mutants/storage-delete.ts',
    'export const storageDelete: Rows = {',
    MUTANT,
  );
  // 5. Its implementation, in the engine of server and mock.
  insert(
    'packages/server-stubs/src/engine/operations.ts',
    'Required<StorageHandlers<StorageCaller>> {\n  return {',
    HANDLER,
  );

  for (const name of ['spec', 'packages/client', 'packages/server-stubs', 'packages/conformance']) {
    node(name, ['--conditions=berth-source', 'scripts/generate.ts']);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

it('has types in the client, the stubs and the suite', () => {
  writeFileSync(join(folder, 'packages/bench/types.ts'), TYPES);
  writeFileSync(
    join(folder, 'packages/bench/tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.base.json',
      compilerOptions: { noEmit: true, types: ['node'] },
      files: ['types.ts'],
    }),
  );
  const tsc = join(folder, 'node_modules/typescript/bin/tsc');
  for (const name of ['bench', 'conformance']) expect(node(`packages/${name}`, [tsc])).toBe('');
});

it('is served by the stubs and the mock and checked by the suite', () => {
  writeFileSync(join(folder, 'packages/bench/run.mjs'), RUN);
  const output = node('packages/bench', ['--conditions=berth-source', 'run.mjs']);
  expect(JSON.parse(output)).toEqual({
    // Not the document's example, but the result of the implementation.
    mock: [{ count: 7 }, 400],
    suite: { mutant: ['ST-COUNT-CALL fail'], server: [] },
  });
});

it('is in the project that init writes', () => {
  const cli = join(folder, 'packages/server-stubs/generator/cli.ts');
  node('.', ['--conditions=berth-source', cli, 'init', 'project']);
  const handlers = readFileSync(join(folder, 'project/src/handlers/index.ts'), 'utf8');
  expect(handlers).toContain("import { countFiles } from './countFiles.ts';");
});

/** Inserts text after a line in a file of the copy. */
function insert(file: string, after: string, text: string): void {
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  expect(before).toContain(after);
  writeFileSync(
    path,
    before.replace(after, () => `${after}${text}`),
  );
}

function node(path: string, args: readonly string[]): string {
  const cwd = join(folder, path);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}
