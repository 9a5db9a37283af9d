#!/usr/bin/env node
import { manifest } from './cli/manifest.ts';
import { whyUnsupported } from './cli/why-unsupported.ts';

const reason = whyUnsupported(process.versions.node, manifest.engines.node);
if (reason === undefined) {
  // Imported only here, for an older Node could not even load it.
  const { main } = await import('./cli/main.ts');
  process.exitCode = await main();
} else {
  process.stderr.write(`berth-conformance: ${reason}\n`);
  process.exitCode = 2;
}
