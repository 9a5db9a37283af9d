import { defineConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

const { include, ...test } = shared.test;
/** Files that need a process of their own: MSW replaces the fetch of its process. */
const ALONE = ['test/msw/**/*.test.ts'];

export default defineConfig({
  ...shared,
  test: {
    ...test,
    projects: [
      {
        extends: true,
        // No file replaces modules of another: they are loaded once.
        test: { name: 'mock', include, exclude: ['**/node_modules/**', ...ALONE], isolate: false },
      },
      { extends: true, test: { name: 'msw', include: ALONE } },
    ],
  },
});
