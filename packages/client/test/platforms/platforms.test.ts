import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningDeployment, startDeployment } from './deployment/start-deployment.ts';
import { PLATFORMS, type PlatformId } from './platforms.ts';
import { type CaseResult, planOf } from './run-suite.ts';
import { buildProject, type Project } from './runners/build-project.ts';
import { isPublished } from './runners/find-runtime.ts';
import { runBrowser } from './runners/run-browser.ts';
import { runProcess } from './runners/run-process.ts';
import { SUITE } from './suite.ts';

/** Milliseconds for all cases of a platform, a few hung ones among them. */
const LONGEST = 300_000;

let folder: string;
let project: Project;
let running: RunningDeployment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-platforms-'));
  [project, running] = await Promise.all([buildProject(folder), startDeployment(folder)]);
});
afterAll(async () => {
  running.close();
  await rm(folder, { recursive: true });
});

const ids = Object.keys(PLATFORMS) as PlatformId[];

describe.each(ids.filter(isPublished).map((id) => [PLATFORMS[id], id] as const))(
  '%s',
  (_, platform) => {
    const results = new Map<string, CaseResult>();
    let failure: unknown;

    beforeAll(async () => {
      const { deployment, trusted } = running;
      const tell = (result: CaseResult) => void results.set(result.name, result);
      const run =
        platform === 'chromium'
          ? runBrowser(project.page, deployment, trusted.pin, tell)
          : runProcess(platform, project.program, deployment, trusted.file, tell);
      await run.catch((error: unknown) => {
        failure = error;
      });
    }, LONGEST);

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
  },
);

for (const platform of ids.filter((id) => !isPublished(id))) {
  const reason = `npm has no ${platform} for ${process.platform} on ${process.arch}`;
  it.skip(`${PLATFORMS[platform]} (skipped: ${reason})`, () => {});
}
