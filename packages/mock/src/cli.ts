#!/usr/bin/env node
import module from 'node:module';
import { readPackageInfo } from './util/package-info.ts';

// A reader such as `| head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const { node } = process.versions;
const floor = readPackageInfo().engines.node.replace('>=', '');
if (node.localeCompare(floor, 'en', { numeric: true }) < 0) {
  process.stderr.write(`berth-mock needs Node ${floor} or later; this is Node ${node}.\n`);
  process.exitCode = 2;
} else {
  // Caches compiled code to speed up the next start.
  module.enableCompileCache();
  // Imported dynamically because older versions of Node could not even parse it.
  const { run } = await import('./cli/run.ts');
  await run(process.argv);
}
