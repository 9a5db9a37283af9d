#!/usr/bin/env node
import { manifest } from './manifest.ts';

const { node } = process.versions;
const floor = manifest.engines.node.replace('>=', '');
if (node.localeCompare(floor, 'en', { numeric: true }) < 0) {
  const problem = `berth-conformance needs Node ${floor} or later; this is Node ${node}`;
  process.stderr.write(`${problem}: run npm install node@24.\n`);
  process.exitCode = 2;
} else {
  // Imported here because older versions of Node cannot even load it.
  const { main } = await import('./run-cli.ts');
  process.exitCode = await main();
}
