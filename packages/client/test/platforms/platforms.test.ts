import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../../scripts/testing/browser.ts';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { NODE_FLOOR } from '../../../../scripts/testing/node-floor.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { FEATURES } from './features.ts';
import type { runFeatures } from './run-features.ts';

const PROGRAM = join(import.meta.dirname, 'run-features.ts');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-platforms-'));
  await bundle();
});
afterAll(() => rm(folder, { recursive: true }));

describe('the oldest Node', () => testAll(runInNode));
describeOn('chromium', 'a page', () => testAll(runInPage));

/** Runs the features on a platform, each as a test. */
function testAll(runAll: typeof runFeatures): void {
  let failures: Record<string, string> = {};
  beforeAll(async () => {
    const { deployment, close } = await startDeployment();
    failures = await runAll(deployment);
    await close();
  });
  it.each(FEATURES)('$name', ({ name }) => expect(failures[name]).toBeUndefined());
}

/** All other tests run in this Node. */
async function runInNode(deployment: Deployment) {
  const args = ['--conditions=berth-source', PROGRAM, JSON.stringify(deployment)];
  const { stdout } = await promisify(execFile)(NODE_FLOOR, args, { cwd: folder });
  return JSON.parse(stdout);
}

async function runInPage(deployment: Deployment) {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    // Another origin than the deployment's, and a secure context, so that it may sign.
    await page.goto(deployment.unstable.replace('127.0.0.1', 'localhost'));
    await page.addScriptTag({ type: 'module', path: join(folder, 'page.mjs') });
    await page.waitForFunction(() => 'runFeatures' in globalThis);
    return await page.evaluate<Failures>(`runFeatures(${JSON.stringify(deployment)})`);
  } finally {
    await browser.close();
  }
}

type Failures = Awaited<ReturnType<typeof runFeatures>>;

/** Bundles the features with the client for a page. */
async function bundle(): Promise<void> {
  const build = await rolldown({
    input: PROGRAM,
    platform: 'browser',
    resolve: { conditionNames: ['berth-source', 'browser', 'import', 'default'] },
    external: /^node:/,
  });
  await build.write({ file: join(folder, 'page.mjs'), format: 'esm', codeSplitting: false });
  await build.close();
}
