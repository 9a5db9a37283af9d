#!/usr/bin/env node
import { manifest } from './manifest.ts';

const { node } = process.versions;
const floor = manifest.engines.node.replace('>=', '');
if (node.localeCompare(floor, 'en', { numeric: true }) < 0) {
  process.stderr.write(`berth-conformance needs Node ${floor} or later; this is Node ${node}.\n`);
  process.exitCode = 2;
} else {
  // Imported here because older versions of Node cannot even load it.
  const { main } = await import('./cli/main.ts');
  process.exitCode = await main();
}
