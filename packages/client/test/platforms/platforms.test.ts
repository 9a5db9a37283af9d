import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBrowser, listPlatforms, PLATFORMS, type PlatformId } from './platforms.ts';
import { type CaseResult, planOf } from './run-suite.ts';
import { buildProject, type Project } from './runners/build-project.ts';
import { runBrowser } from './runners/run-browser.ts';
import { runProcess, whyAbsent } from './runners/run-process.ts';
import { runWorker } from './runners/run-worker.ts';
import { startDeployment } from './start-deployment.ts';
import { SUITE } from './suite.ts';

let folder: string;
let project: Project;
let running: Awaited<ReturnType<typeof startDeployment>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-platforms-'));
  [project, running] = await Promise.all([buildProject(folder), startDeployment(folder)]);
});
afterAll(async () => {
  await running.close();
  await rm(folder, { recursive: true });
});

for (const platform of listPlatforms()) {
  const reason = whyAbsent(platform);
  const title = PLATFORMS[platform];
  if (reason) describe.skip(`${title} (skipped: ${reason})`, () => runCases(platform));
  else describe(title, () => runCases(platform));
}

/** Runs each case as a separate test. */
function runCases(platform: PlatformId): void {
  const results = new Map<string, CaseResult>();
  let failure: unknown;

  beforeAll(async () => {
    const { deployment, trusted } = running;
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
