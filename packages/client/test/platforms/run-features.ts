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
