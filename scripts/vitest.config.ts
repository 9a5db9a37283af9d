import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../vitest.shared.ts';

// These tests run the commands of the repository, one after the other.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ['test/*.test.ts'],
      fileParallelism: false,
    },
  }),
);
