#!/usr/bin/env node
import { manifest } from './cli/manifest.ts';
import { whyUnsupported } from './cli/why-unsupported.ts';

const reason = whyUnsupported(process.versions.node, manifest.engines.node);
if (reason === undefined) {
  // Imported only here, for an older Node could not even load it.
  const { runCli } = await import('./cli/run-cli.ts');
  process.exitCode = await runCli(process.argv.slice(2), {
    out: (line) => process.stdout.write(`${line}\n`),
    error: (line) => process.stderr.write(`${line}\n`),
  });
} else {
  process.stderr.write(`berth-conformance: ${reason}\n`);
  process.exitCode = 2;
}
