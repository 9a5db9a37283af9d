import { defineConfig } from 'vitest/config';
import shared from './vitest.shared.ts';

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['bench/*.test.ts', 'scripts/test/*.test.ts'],
    // These tests run repository commands, which must not overlap.
    fileParallelism: false,
  },
});
