import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../../scripts/testing/browser.ts';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { NODE_FLOOR } from '../../../../scripts/testing/node-floor.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { FEATURES, type PlatformId } from './features.ts';
import type { Result, runFeatures } from './run-features.ts';

const run = promisify(execFile);
const PACKAGE = join(import.meta.dirname, '../..');

let folder: string;
let running: Awaited<ReturnType<typeof startDeployment>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-platforms-'));
  [running] = await Promise.all([startDeployment(), buildProject()]);
});
afterAll(async () => {
  await running.close();
  await rm(folder, { recursive: true });
});

describe('Node', () => runOn('node', runInNode));
describe('the oldest Node', () => runOn('node-floor', runInNode));
describeOn('chromium', 'a page', () => runOn('chromium', runInPage));

/** Runs the features on a platform, each as a test. */
function runOn(
  platform: PlatformId,
  runAll: (platform: PlatformId, deployment: Deployment) => Promise<readonly Result[]>,
): void {
  let results: readonly Result[] = [];
  beforeAll(async () => {
    results = await runAll(platform, running.deployment);
  });
  const names = FEATURES.filter(({ platforms }) => platforms?.includes(platform) ?? true);
  it.each(names)('$name', ({ name }) => {
    expect(results.find((result) => result.name === name)).toEqual({ name });
  });
}

async function runInNode(platform: PlatformId, deployment: Deployment) {
  const node = platform === 'node' ? process.execPath : NODE_FLOOR;
  const args = [join(folder, 'in-node.js'), platform, JSON.stringify(deployment)];
  const { stdout } = await run(node, args, { cwd: folder });
  const lines = stdout.trim().split('\n');
  return lines.map((line): Result => JSON.parse(line));
}

async function runInPage(platform: PlatformId, deployment: Deployment) {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    // Another origin than the deployment's, and a secure context, so that it may sign.
    await page.goto(deployment.unstable.replace('127.0.0.1', 'localhost'));
    const results: Result[] = [];
    await page.exposeFunction('report', (result: Result) => results.push(result));
    await page.addScriptTag({ type: 'module', path: join(folder, 'in-page.js') });
    await page.waitForFunction(() => 'runFeatures' in globalThis);
    await page.evaluate(
      ([id, given]) => {
        const { runFeatures: runAll, report } = globalThis as unknown as PageGlobals;
        return runAll(id, given, report);
      },
      [platform, deployment] as const,
    );
    return results;
  } finally {
    await browser.close();
  }
}

interface PageGlobals {
  readonly runFeatures: typeof runFeatures;
  readonly report: (result: Result) => Promise<void>;
}

/**
 * Builds the client as it is published, so that each platform selects its files by its own export
 * conditions, and bundles the features for Node and for pages.
 */
async function buildProject(): Promise<void> {
  const modules = join(folder, 'node_modules');
  const client = join(modules, '@berth/client');
  await mkdir(client, { recursive: true });
  const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  const { imports, exports } = manifest.publishConfig;
  await writeFile(join(client, 'package.json'), JSON.stringify({ ...manifest, imports, exports }));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const fetcher = await realpath(join(PACKAGE, 'node_modules/openapi-fetch'));
  await symlink(fetcher, join(modules, 'openapi-fetch'), 'dir');
  // `typecheck` takes care of types.
  const args = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', join(client, 'dist')];
  await run('tsc', args, { cwd: PACKAGE });
  await bundle('in-node', 'node', ['@berth/client', /^node:/]);
  await bundle('in-page', 'browser', [/^node:/]);
}

async function bundle(entry: string, platform: 'node' | 'browser', external: (string | RegExp)[]) {
  const build = await rolldown({
    input: join(import.meta.dirname, `${entry}.ts`),
    platform,
    external,
    plugins: [
      {
        name: 'installed',
        // Resolved as if the features were in the folder.
        resolveId(id) {
          return id === '@berth/client' ? this.resolve(id, join(folder, entry)) : null;
        },
      },
    ],
  });
  await build.write({ file: join(folder, `${entry}.js`), format: 'esm', codeSplitting: false });
  await build.close();
}
