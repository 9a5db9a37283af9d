import type { PlatformId } from './features.ts';
import { runFeatures } from './run-features.ts';

/** Runs the features in a Node process: `<platform> <deployment as JSON>`. */
const [platform, deployment = ''] = process.argv.slice(2);

await runFeatures(platform as PlatformId, JSON.parse(deployment), (result) =>
  process.stdout.write(`${JSON.stringify(result)}\n`),
);
process.exit(0);
