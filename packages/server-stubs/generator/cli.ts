#!/usr/bin/env node
import { readManifest, runCli } from './run-cli.ts';

// Programs such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const { node } = process.versions;
const floor = readManifest().engines.node.replace('>=', '');
if (node.localeCompare(floor, 'en', { numeric: true }) < 0) {
  process.stderr.write(`berth-stubs needs Node ${floor} or later; this is Node ${node}.\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await runCli(process.argv.slice(2));
}
