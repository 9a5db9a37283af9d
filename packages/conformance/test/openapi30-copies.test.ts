import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { APIS } from '../src/contract/openapi.ts';
import { documents, toContract } from '../src/contract/operations.ts';
import { compileTransactions } from '../src/dredd/compile.ts';
import { copies, isInCopy } from '../src/dredd/run-transactions.ts';

const { transactions } = toContract();
const compile = (...copies: object[]) => compileTransactions(copies, new AbortController().signal);

test.each(APIS)('the OpenAPI 3.0 copy of %s is valid', async (api) => {
  const path = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));
  const file = path(`src/generated/${documents[api].name}.openapi30.gen.json`);
  const lint = ['lint', '--extends=spec', '--format=json', file];
  const { stdout } = await promisify(execFile)(path('node_modules/.bin/redocly'), lint, {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  expect(copies[api].openapi).toMatch(/^3\.0\./);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } });
});

test('Dredd understands the copies, and creates a transaction for each response in them', async () => {
  const drafts = await compile(...Object.values(copies));
  const driven = transactions.filter(isInCopy);
  expect(drafts).toHaveLength(driven.length);
  const left = transactions
    .filter((each) => !driven.includes(each))
    .map(({ operationId, status, contentType }) => ['left out', operationId, status, contentType]);
  const lines = drafts.map((draft) => [
    ...[draft.operationId, draft.method, draft.copyStatus, draft.contentType],
  ]);
  const text = [...lines, ...left].map((words) => `${words.filter(Boolean).join(' ')}\n`).join('');
  await expect(text).toMatchFileSnapshot('transactions.txt');
});

test.each<[why: string, change: (copy: object) => object, message: RegExp]>([
  ['a key of OpenAPI 3.1', (copy) => ({ ...copy, summary: 'No.' }), /warns .*'summary'/],
  ['no paths', () => ({ openapi: '3.0.0' }), /^Dredd (failed|warns)/],
])(
  '%s ends the run, because Dredd drops what it does not understand',
  async (_, change, message) => {
    await expect(compile(change(copies.storage))).rejects.toThrow(message);
  },
);
