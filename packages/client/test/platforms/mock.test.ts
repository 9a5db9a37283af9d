import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { describePlatform, type Given } from './describe-platform.ts';
import { type MockDeployment, startMockDeployment } from './mock/start-mock-deployment.ts';
import { PLATFORMS, type PlatformId } from './platforms.ts';
import { buildProject } from './runners/build-project.ts';

/**
 * The mock is what programs are tested with: it must do what the client needs of a deployment. One platform of
 * each kind shows that; `platforms.test.ts` has them all.
 */
const ids: readonly PlatformId[] = ['node24', 'workerd', 'chromium'];

let folder: string;
let mock: MockDeployment;
let given: Given;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-mock-platforms-'));
  const [project, started] = await Promise.all([buildProject(folder), startMockDeployment(folder)]);
  mock = started;
  given = { project, ...started };
});
afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

// At the same time: one waits while the other works.
describe.concurrent('the mock', () => {
  for (const id of ids) describePlatform(`called from ${PLATFORMS[id]}`, id, () => given);
});
