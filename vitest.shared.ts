import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ViteUserConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

/** Vite's own conditions for server code, and ours first: workspace packages are used from source. */
const conditions = ['berth-source', 'module', 'node', 'development|production'];

/** Writes down what no test has waited for, which is not in the JSON: `npm test` tells it at its end. */
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
    // Tests start hundreds of commands from source: each module is stripped and compiled once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    // A shared machine may stand still for a while: these end what hangs, and measure nothing.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
} satisfies ViteUserConfig;
