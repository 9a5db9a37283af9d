import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { APIS } from '../src/contract/openapi.ts';
import { documents } from '../src/contract/operations.ts';
import { copies } from '../src/dredd/transactions.ts';

test.each(APIS)('the OpenAPI 3.0 copy of %s is valid', async (api) => {
  const path = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));
  const file = path(`../../spec/generated/${documents[api].name}.openapi30.gen.json`);
  const lint = ['lint', '--extends=spec', '--format=json', file];
  const { stdout } = await promisify(execFile)(path('node_modules/.bin/redocly'), lint, {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  expect(copies[api].openapi).toMatch(/^3\.0\./);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } });
});
