import { join } from 'node:path';
import type { ViteUserConfig } from 'vitest/config';

/** Vite's own conditions for server code, preceded by ours: workspace packages are used from source. */
const conditions = ['berth-source', 'module', 'node', 'development|production'];

/** What the tests of every package share. */
export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{src,test,scripts}/**/*.test.ts', '*.test.ts'],
    reporters: ['default', ['json', { outputFile: '.reports/vitest.json' }]],
    // Tests start hundreds of commands from source: the cache compiles each module only once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    // Long enough for a busy machine: these limits end tests that hang, and measure nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
} satisfies ViteUserConfig;
