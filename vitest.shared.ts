import { defaultServerConditions } from 'vite';
import type { ViteUserConfig } from 'vitest/config';

/** What the tests of every package share: workspace packages are used from their source. */
const conditions = ['berth-source', ...defaultServerConditions];

export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{src,test,scripts}/**/*.test.ts', '*.test.ts'],
    reporters: ['default', ['json', { outputFile: '.reports/vitest.json' }]],
    testTimeout: 20_000,
  },
} satisfies ViteUserConfig;
