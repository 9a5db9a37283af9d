import { runFeatures } from './run-features.ts';

/** Runs the features in a Node process, whose argument is the deployment as JSON. */
await runFeatures(JSON.parse(process.argv[2] ?? ''), (result) =>
  process.stdout.write(`${JSON.stringify(result)}\n`),
);
process.exit(0);
