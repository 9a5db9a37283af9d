#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const { node } = process.versions;
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const floor = manifest.engines.node.replace('>=', '');
if (node.localeCompare(floor, 'en', { numeric: true }) < 0) {
  process.stderr.write(`berth needs Node ${floor} or later; this is Node ${node}.\n`);
  process.exitCode = 2;
} else {
  // Imported dynamically, because an older Node could not even parse the file.
  const { run } = await import('./cli/run.ts');
  await run(process.argv, manifest.version);
}
