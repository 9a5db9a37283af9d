import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// Pages are checked two at a time. No test mocks modules, so they are loaded only once.
export default mergeConfig(shared, defineConfig({ test: { maxConcurrency: 2, isolate: false } }));
