import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RunningDeployment, startDeployment } from './deployment/start-deployment.ts';
import { describePlatform } from './describe-platform.ts';
import { PLATFORMS, type PlatformId } from './platforms.ts';
import { buildProject, type Project } from './runners/build-project.ts';

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

for (const [id, title] of Object.entries(PLATFORMS)) {
  describePlatform(title, id as PlatformId, () => ({ project, ...running }));
}
