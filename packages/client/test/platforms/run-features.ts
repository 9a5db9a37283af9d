import type { Deployment } from './deployment.ts';
import { FEATURES } from './features.ts';

/** Runs the features one by one, and returns the stack of the error of each that fails, by its name. */
export async function runFeatures(deployment: Deployment): Promise<Record<string, string>> {
  const failures: Record<string, string> = {};
  for (const { name, run } of FEATURES) {
    await run(deployment).catch((error: Error) => {
      failures[name] = error.stack ?? String(error);
    });
  }
  return failures;
}

// The test calls it in a page. A Node process runs it with its argument.
if ('document' in globalThis) Object.assign(globalThis, { runFeatures });
else {
  const [, , deployment = ''] = process.argv;
  const failures = JSON.stringify(await runFeatures(JSON.parse(deployment)));
  process.stdout.write(failures, () => process.exit());
}
