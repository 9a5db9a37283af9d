import { beforeAll, describe, expect, it } from 'vitest';
import type { Deployment } from './platform-case.ts';
import { isBrowser, type PlatformId } from './platforms.ts';
import { type CaseResult, planOf } from './run-suite.ts';
import type { Project } from './runners/build-project.ts';
import { whyAbsent } from './runners/find-runtime.ts';
import { runBrowser } from './runners/run-browser.ts';
import { runProcess } from './runners/run-process.ts';
import { runWorker } from './runners/run-worker.ts';
import { SUITE } from './suite.ts';

/** What the suite runs with. */
export interface Given {
  readonly project: Project;
  readonly deployment: Deployment;
  /** The certificate that the platform must trust: the path of its file, and its {@link toPin}. */
  readonly trusted: { readonly file: string; readonly pin: string };
}

/** Runs the suite on a platform. If the platform is missing, its cases are skipped, with the reason. */
export function describePlatform(title: string, platform: PlatformId, given: () => Given): void {
  const reason = whyAbsent(platform);
  const run = () => runCases(platform, given);
  if (reason) describe.skip(`${title} (skipped: ${reason})`, run);
  else describe(title, run);
}

/** Runs each case as a separate test. */
function runCases(platform: PlatformId, given: () => Given): void {
  const results = new Map<string, CaseResult>();
  let failure: unknown;

  beforeAll(async () => {
    const { project, deployment, trusted } = given();
    const tell = (result: CaseResult) => void results.set(result.name, result);
    const run = isBrowser(platform)
      ? runBrowser(platform, project.page, deployment, trusted, tell)
      : platform === 'workerd'
        ? runWorker(project.worker, deployment, trusted.file, tell)
        : runProcess(platform, project.program, deployment, trusted.file, tell);
    await run.catch((error: unknown) => {
      failure = error;
    });
  });

  for (const one of SUITE) {
    const plan = planOf(one, platform);
    if (!plan) continue;
    it(plan.title, () => {
      const result = results.get(one.name);
      if (!result) throw failure ?? new Error('The case did not run.');
      expect(result.error).toBeUndefined();
    });
  }

  it('runs to its end', () => {
    if (failure) throw failure;
  });
}
