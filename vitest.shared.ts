import type { ViteUserConfig } from 'vitest/config';

/** Vite's own conditions for server code, and ours first: workspace packages are used from source. */
const conditions = ['berth-source', 'module', 'node', 'development|production'];

/** What the tests of every package share. */
export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{src,test,scripts}/**/*.test.ts', '*.test.ts'],
    reporters: ['default', ['json', { outputFile: '.reports/vitest.json' }]],
    // A shared machine may stand still for a while: these end what hangs, and measure nothing.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
} satisfies ViteUserConfig;
