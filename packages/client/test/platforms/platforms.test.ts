import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type RunningDeployment, startDeployment } from './deployment/start-deployment.ts';
import { describePlatform } from './describe-platform.ts';
import { type MockDeployment, startMockDeployment } from './mock/start-mock-deployment.ts';
import { listPlatforms, PLATFORMS, type PlatformId } from './platforms.ts';
import { buildProject, type Project } from './runners/build-project.ts';

let folder: string;
let project: Project;
let running: RunningDeployment;
let mock: MockDeployment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-platforms-'));
  const folders = ['deployment', 'mock'].map((name) => mkdtemp(join(folder, name)));
  const [ofDeployment = '', ofMock = ''] = await Promise.all(folders);
  [project, running, mock] = await Promise.all([
    buildProject(folder),
    startDeployment(ofDeployment),
    startMockDeployment(ofMock),
  ]);
});
afterAll(async () => {
  running.close();
  await mock.close();
  await rm(folder, { recursive: true });
});

for (const id of listPlatforms()) {
  describePlatform(PLATFORMS[id], id, () => ({ project, ...running }));
}

/** The mock is what programs are tested with: it must do what the client needs of a deployment. */
const ON_MOCK: readonly PlatformId[] = process.env.BERTH_SOAK
  ? ['node24', 'workerd', 'chromium']
  : ['node24'];
describe('the mock', () => {
  for (const id of ON_MOCK) {
    describePlatform(`called from ${PLATFORMS[id]}`, id, () => ({ project, ...mock }));
  }
});
