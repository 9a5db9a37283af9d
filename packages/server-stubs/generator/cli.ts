#!/usr/bin/env node
import { findNodeFault } from './cli/find-node-fault.ts';

// Whoever reads may stop, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// The rest needs the Node that `engines` names, so it is loaded only then.
const fault = findNodeFault(process.versions.node);
if (fault === undefined) {
  const { runCli } = await import('./cli/run-cli.ts');
  process.exitCode = await runCli(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  });
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 2;
}
