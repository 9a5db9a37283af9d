import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test.each(['gateway.v1', 'storage.v2'])('the OpenAPI 3.0 copy of %s is valid', async (name) => {
  const folder = join(import.meta.dirname, '..');
  const file = join(folder, `../../spec/generated/${name}.openapi30.gen.json`);
  const lint = ['lint', '--extends=spec', '--format=json', file];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const redocly = join(folder, 'node_modules/.bin/redocly');
  const { stdout } = await promisify(execFile)(redocly, lint, { env });
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } });
});
