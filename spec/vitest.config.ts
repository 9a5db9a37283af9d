import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../vitest.shared.ts';

// No test mocks modules, so they are loaded only once.
export default mergeConfig(shared, defineConfig({ test: { isolate: false } }));
