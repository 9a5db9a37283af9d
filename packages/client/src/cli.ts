#!/usr/bin/env node
import { findNodeFault } from './cli/find-node-fault.ts';

// What is behind the rest needs the Node that `engines` names, so it is loaded only then.
const fault = findNodeFault(process.versions.node);
if (fault === undefined) {
  const { run } = await import('./cli/run.ts');
  await run(process.argv);
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 2;
}
