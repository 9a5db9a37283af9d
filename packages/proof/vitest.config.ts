import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// Most of the time is spent waiting for delays and for links that expire. No test mocks modules, so they are loaded
// only once.
export default mergeConfig(
  shared,
  defineConfig({ test: { maxWorkers: 2, maxConcurrency: 4, isolate: false } }),
);
