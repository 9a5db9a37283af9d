import type { Deployment } from './deployment.ts';
import { FEATURES } from './features.ts';

/** The outcome of a feature. */
export interface Result {
  readonly name: string;
  /** Absent if it works. */
  readonly error?: string;
}

/** Runs the features one by one, and reports each result as it comes. */
export async function runFeatures(
  deployment: Deployment,
  report: (result: Result) => unknown,
): Promise<void> {
  for (const { name, run } of FEATURES) {
    const error = await run(deployment).then(
      () => undefined,
      (reason: unknown) => (reason as Error)?.stack ?? String(reason),
    );
    await report({ name, ...(error !== undefined && { error }) });
  }
}

// The test calls it in a page. A Node process runs it with its argument.
if ('document' in globalThis) Object.assign(globalThis, { runFeatures });
else {
  const [, , deployment = ''] = process.argv;
  await runFeatures(JSON.parse(deployment), (result) =>
    process.stdout.write(`${JSON.stringify(result)}\n`),
  );
  process.exit();
}
