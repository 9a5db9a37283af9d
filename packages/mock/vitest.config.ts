import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// No file replaces modules of another: they are loaded once.
export default mergeConfig(shared, defineConfig({ test: { isolate: false } }));
