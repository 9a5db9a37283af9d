#!/usr/bin/env node
import cluster from 'node:cluster';
import { findNodeFault } from './cli/find-node-fault.ts';

// Whoever reads may stop, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// What is behind the rest needs the Node that `engines` names, so it is loaded only then.
const fault = findNodeFault(process.versions.node);
if (fault === undefined) {
  if (cluster.isWorker) {
    const { runWorker } = await import('./workers/worker.ts');
    runWorker();
  } else {
    const { run } = await import('./cli/run.ts');
    await run(process.argv);
  }
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 2;
}
