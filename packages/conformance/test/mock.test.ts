import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../scripts/local.ts', import.meta.url));

test('the mock of this repository keeps the contract', async () => {
  const args = ['--conditions=berth-source', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^32 pass, 0 fail, 0 error, 11 skip: /);
});
