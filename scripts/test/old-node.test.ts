import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PACKAGES = join(import.meta.dirname, '../../packages');
const OLD = "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })";

it.each([
  ['berth', 'client/src/cli.ts'],
  ['berth-conformance', 'conformance/src/cli.ts'],
  ['berth-mock', 'mock/src/cli.ts'],
  ['berth-server', 'server/src/cli.ts'],
  ['berth-stubs', 'server-stubs/generator/cli.ts'],
])('%s says what to do if Node is too old', (name, file) => {
  const options = ['--conditions=berth-source', '--import', `data:text/javascript,${OLD}`];
  const args = [...options, join(PACKAGES, file)];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toMatch(
    new RegExp(
      `^${name} needs Node [\\d.]+ or later; this is Node 20.20.2: run npm install node@24.\n$`,
    ),
  );
  expect(status).toBe(2);
});
