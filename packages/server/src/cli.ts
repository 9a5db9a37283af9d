#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';

/** One folder up in both the source and the build. */
const file = new URL('../package.json', import.meta.url);
const { version, engines } = JSON.parse(readFileSync(file, 'utf8'));
const minVersion = engines.node.replace('>=', '');
const { node } = process.versions;
if (node.localeCompare(minVersion, 'en', { numeric: true }) < 0) {
  const problem = `berth-server needs Node ${minVersion} or later; this is Node ${node}`;
  process.stderr.write(`${problem}: run npm install node@24.\n`);
  process.exitCode = 2;
} else {
  // Caches compiled code to speed up the next start.
  module.enableCompileCache();
  // Imported dynamically because older versions of Node could not even parse it.
  const { run } = await import('./cli/program.ts');
  await run(process.argv, version);
}
