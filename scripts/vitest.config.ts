import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../vitest.shared.ts';

// These tests run repository commands, which must not overlap.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ['test/*.test.ts'],
      fileParallelism: false,
    },
  }),
);
