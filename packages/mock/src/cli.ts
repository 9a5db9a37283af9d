#!/usr/bin/env node
import module from 'node:module';
import { readPackageInfo } from './util/package-info.ts';

// Whoever reads may stop, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const { node } = process.versions;
const floor = readPackageInfo().engines.node.replace('>=', '');
if (node.localeCompare(floor, 'en', { numeric: true }) < 0) {
  process.stderr.write(`berth-mock needs Node ${floor} or later; this is Node ${node}.\n`);
  process.exitCode = 2;
} else {
  // From the second start on, nothing of it is compiled again. Node 20 has no such cache.
  module.enableCompileCache?.();
  // Imported only here: an older Node could not even load it.
  const { run } = await import('./cli/run.ts');
  await run(process.argv);
}
