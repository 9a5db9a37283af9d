import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type ProjectConfig, type TestSpecification } from 'vitest/node';
import { missingEngines } from './scripts/testing/engines.ts';

const ROOT = import.meta.dirname;
const INCLUDE = ['{src,generator,test,scripts}/**/*.test.ts', '*.test.ts'];
const CONDITIONS = ['berth-source', 'node', 'development|production'];

interface Project extends ProjectConfig {
  name: string;
  /** Default: the package of this name. */
  folder?: string;
}

/**
 * The projects, in the order in which they start: those that wait longest, for Ceph and for links that expire, come
 * first. An `…-alone` project runs each file in a process of its own, because it replaces modules or the global
 * `fetch`, or looks at a fresh module.
 */
const PROJECTS: readonly Project[] = [
  {
    name: 'ceph',
    folder: 'packages/server',
    include: ['test/ceph/**/*.test.ts', '../conformance/test/ceph/*.test.ts'],
    globalSetup: join(ROOT, 'packages/server/test/ceph/support/global-setup.ts'),
  },
  { name: 'conformance', exclude: ['test/ceph/**'], maxConcurrency: 4 },
  { name: 'scripts', folder: '.', include: ['{bench,scripts/test}/*.test.ts'] },
  { name: 'server', exclude: ['test/ceph/**', 'test/store/file-durability.test.ts'] },
  { name: 'mock', exclude: ['test/msw/**'] },
  { name: 'client', exclude: ['test/errors.test.ts', 'test/react-query/**'] },
  { name: 'examples', folder: 'examples', include: ['{msw,test}/*.test.ts'] },
  {
    name: 'server-alone',
    folder: 'packages/server',
    include: ['test/store/file-durability.test.ts'],
    isolate: true,
  },
  { name: 'mock-alone', folder: 'packages/mock', include: ['test/msw/*.test.ts'], isolate: true },
  {
    name: 'client-alone',
    folder: 'packages/client',
    include: ['test/errors.test.ts', 'test/react-query/*.test.ts'],
    isolate: true,
  },
  { name: 'server-stubs' },
  { name: 'storage' },
  { name: 'spec', folder: 'spec' },
  { name: 'docs', folder: 'docs' },
];
const NAMES = PROJECTS.map(({ name }) => name);

/** Files that take longer than all others of their project. Without a cache, Vitest starts the largest ones first. */
const LONG = /\/conformance\/test\/(mutants|variants|sound|hostile)[\w-]*\.test\.ts$/;

/** Runs the files of one project together, so that its workers load each module once. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const order = ({ project: { name }, moduleId }: TestSpecification) =>
      NAMES.indexOf(name) - (LONG.test(moduleId) ? 0.5 : 0);
    return (await super.sort(files)).toSorted((a, b) => order(a) - order(b));
  }
}

export default defineConfig({
  // Workspace packages are used from source.
  resolve: { conditions: CONDITIONS },
  ssr: { resolve: { conditions: CONDITIONS } },
  test: {
    reporters: ['default', { onTestRunEnd: printMissingEngines }],
    setupFiles: join(ROOT, 'scripts/testing/restore-clock.ts'),
    env: {
      // Tests start hundreds of commands from source: the cache compiles each module only once.
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node'),
      // Commands name themselves after how they were started; `npx vitest` would count for them, too.
      npm_lifecycle_event: 'test',
    },
    // Long enough for a busy machine: these limits end tests that hang, and measure nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    // Many tests wait for time limits, disks and engines.
    maxWorkers: 4,
    sequence: { sequencer: ByProject },
    projects: PROJECTS.map(({ name, folder = `packages/${name}`, exclude = [], ...test }) => ({
      extends: true,
      root: join(ROOT, folder),
      test: {
        name,
        include: INCLUDE,
        exclude: ['**/node_modules/**', ...exclude],
        isolate: false,
        ...test,
      },
    })),
  },
});

function printMissingEngines(): void {
  const missing = missingEngines().join(', ');
  if (!missing) return;
  process.stdout.write(
    `\nNot installed: ${missing}. Tests that need them are skipped; run "npm run engines".\n`,
  );
}
