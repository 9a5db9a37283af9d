import { defineConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

export default defineConfig({
  ...shared,
  // Pages are typed two at a time.
  test: { ...shared.test, maxConcurrency: 2 },
});
