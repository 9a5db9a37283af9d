#!/usr/bin/env node
import { findNodeFault } from './cli/find-node-fault.ts';

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
