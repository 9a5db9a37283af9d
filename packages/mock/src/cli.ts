#!/usr/bin/env node
import module from 'node:module';
import { findNodeFault } from './cli/find-node-fault.ts';

// Whoever reads may stop, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Prism and the syntax of the rest need the Node that `engines` names, so it is loaded only then.
const fault = findNodeFault(process.versions.node);
if (fault === undefined) {
  // From the second start on, nothing of it is compiled again.
  module.enableCompileCache?.();
  const { run } = await import('./cli/run.ts');
  await run(process.argv);
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 2;
}
