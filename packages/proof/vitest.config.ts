import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// Most of the time is waiting: for delays, for links that expire.
export default mergeConfig(shared, defineConfig({ test: { maxWorkers: 2 } }));
