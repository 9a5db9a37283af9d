#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// Programs such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Not imported, because an import would copy `package.json` into the build.
const manifest = new URL(import.meta.resolve('@berth/server-stubs/package.json'));
const { version, engines } = JSON.parse(readFileSync(manifest, 'utf8'));
const minVersion = engines.node.replace('>=', '');
const { node } = process.versions;
if (node.localeCompare(minVersion, 'en', { numeric: true }) < 0) {
  const problem = `berth-stubs needs Node ${minVersion} or later; this is Node ${node}`;
  process.stderr.write(`${problem}: run npm install node@24.\n`);
  process.exitCode = 2;
} else {
  // Imported dynamically because older versions of Node could not even parse it.
  const { runCli } = await import('./run-cli.ts');
  process.exitCode = await runCli(process.argv.slice(2), version);
}
