import { lackOf } from './features.ts';
import type { Deployment, PlatformCase, Tools } from './platform-case.ts';
import type { PlatformId } from './platforms.ts';

/** The outcome of a case. */
export interface CaseResult {
  readonly name: string;
  readonly ms: number;
  /** Absent if it passed. */
  readonly error?: string;
}

/** How long until a case counts as hung, in milliseconds. */
export const LIMIT = 120_000;

/** Returns the outcome of a case on a platform; `undefined` if another case proves what is missing. */
export function planOf(one: PlatformCase, platform: PlatformId) {
  const lack = lackOf(one.feature, platform);
  if (lack === undefined) return { run: one.run, title: one.name };
  return one.without && { run: one.without, title: `${one.name} (lacking: ${lack})` };
}

/** Runs the cases one by one, and reports each result as it comes. */
export async function runSuite(
  cases: readonly PlatformCase[],
  platform: PlatformId,
  deployment: Deployment,
  tools: Tools,
  tell: (result: CaseResult) => unknown,
): Promise<void> {
  for (const one of cases) {
    const plan = planOf(one, platform);
    if (!plan) continue;
    const start = Date.now();
    const error = await within(plan.run(deployment, tools));
    await tell({ name: one.name, ms: Date.now() - start, ...(error !== undefined && { error }) });
  }
}

async function within(work: Promise<void>): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`hung for ${LIMIT} ms`)), LIMIT);
  });
  try {
    await Promise.race([work, late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error}\n${error.stack ?? ''}` : String(error);
  } finally {
    clearTimeout(timer);
  }
}
