import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../vitest.shared.ts';

// These tests run commands of the repository, which must not overlap.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ['test/*.test.ts'],
      fileParallelism: false,
    },
  }),
);
