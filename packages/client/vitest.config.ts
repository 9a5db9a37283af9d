import { defineConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

const { include, ...test } = shared.test;
/** Files that need a process of their own, because they look at a fresh module. All others load each module once. */
const ALONE = ['test/errors.test.ts'];

export default defineConfig({
  ...shared,
  test: {
    ...test,
    projects: [
      {
        extends: true,
        test: {
          name: 'client',
          include,
          exclude: ['**/node_modules/**', ...ALONE],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE },
      },
    ],
  },
});
