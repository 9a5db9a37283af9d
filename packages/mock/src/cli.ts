#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';

// A reader such as `| head` may close the pipe early. After any other error, nothing more can be printed.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exit(1);
  });
}

/** One folder up in both the source and the build. */
const file = new URL('../package.json', import.meta.url);
const { version, engines } = JSON.parse(readFileSync(file, 'utf8'));
const minVersion = engines.node.replace('>=', '');
const { node } = process.versions;
if (node.localeCompare(minVersion, 'en', { numeric: true }) < 0) {
  const problem = `berth-mock needs Node ${minVersion} or later; this is Node ${node}`;
  process.stderr.write(`${problem}: run npm install node@24.\n`);
  process.exitCode = 2;
} else {
  // Caches compiled code to speed up the next start.
  module.enableCompileCache();
  // Imported dynamically because older versions of Node could not even parse it.
  const { run } = await import('./cli/run.ts');
  await run(process.argv, version);
}
