#!/usr/bin/env node
import { readPackageInfo } from './cli/package-info.ts';

// The reader may close the pipe early, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const { node } = process.versions;
const floor = readPackageInfo().engines.node.replace('>=', '');
if (node.localeCompare(floor, 'en', { numeric: true }) < 0) {
  process.stderr.write(`berth-server needs Node ${floor} or later; this is Node ${node}.\n`);
  process.exitCode = 2;
} else {
  // Imported only here, because older versions of Node cannot even load it.
  const { run } = await import('./cli/run.ts');
  await run(process.argv);
}
