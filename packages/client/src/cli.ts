#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// A reader such as `| head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`berth: ${error.message}\n`);
  process.exit(1);
});
process.stderr.on('error', () => {});

const { node } = process.versions;
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const minimum = manifest.engines.node.replace('>=', '');
if (node.localeCompare(minimum, 'en', { numeric: true }) < 0) {
  const problem = `berth needs Node ${minimum} or later; this is Node ${node}`;
  process.stderr.write(`${problem}: run npm install node@24.\n`);
  process.exitCode = 2;
} else {
  // Imported dynamically, because an older Node could not even parse the file.
  const { run } = await import('./cli/run.ts');
  await run(process.argv, manifest.version);
}
