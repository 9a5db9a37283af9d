import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ViteUserConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

/** Vite's own conditions for server code, preceded by ours: workspace packages are used from source. */
const conditions = ['berth-source', 'module', 'node', 'development|production'];

/** Saves unhandled errors, which are missing in the JSON report, so that `npm test` can print them at the end. */
const unhandled: Reporter = {
  onTestRunEnd(_modules, errors) {
    mkdirSync('.reports', { recursive: true });
    const texts = errors.map(({ stack, message }) => stack ?? message);
    writeFileSync('.reports/unhandled.json', JSON.stringify(texts));
  },
};

/** What the tests of every package share. */
export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{src,test,scripts}/**/*.test.ts', '*.test.ts'],
    reporters: ['default', ['json', { outputFile: '.reports/vitest.json' }], unhandled],
    // Tests start hundreds of commands from source: the cache compiles each module only once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    // Long enough for a busy machine: these limits end tests that hang, and measure nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
} satisfies ViteUserConfig;
