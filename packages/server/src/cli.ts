#!/usr/bin/env node
import cluster from 'node:cluster';
import { readPackageInfo } from './cli/package-info.ts';

// Whoever reads may stop, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const { node } = process.versions;
const floor = readPackageInfo().engines.node.replace('>=', '');
if (node.localeCompare(floor, 'en', { numeric: true }) < 0) {
  process.stderr.write(`berth-server needs Node ${floor} or later; this is Node ${node}.\n`);
  process.exitCode = 2;
} else if (cluster.isWorker) {
  // Imported only here and below: an older Node could not even load it.
  const { runWorker } = await import('./workers/worker.ts');
  runWorker();
} else {
  const { run } = await import('./cli/run.ts');
  await run(process.argv);
}
