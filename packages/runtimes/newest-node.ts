// Runs the tests of the published packages on the newest Node that is here: this repository's own is older.
// Arguments: names of folders in `packages`; default: all that are published.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const PACKAGES = ['client', 'server-stubs', 'mock', 'server', 'conformance'];
const { resolve } = createRequire(import.meta.url);
const BIN = join(dirname(resolve('node26/package.json')), 'bin');
const VITEST = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');

for (const name of process.argv.length > 2 ? process.argv.slice(2) : PACKAGES) {
  process.stdout.write(`\n${name}, on the newest Node\n`);
  const child = spawn(join(BIN, 'node'), [VITEST, 'run'], {
    cwd: join(import.meta.dirname, '..', name),
    env: { ...process.env, PATH: [BIN, process.env.PATH].join(delimiter) },
    stdio: 'inherit',
  });
  const code = await new Promise((ended) => child.on('close', ended));
  if (code !== 0) process.exitCode = 1;
}
