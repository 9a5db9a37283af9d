import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      // No file replaces modules of another: they are loaded once.
      isolate: false,
      include: ['{src,generator,test,scripts}/**/*.test.ts'],
      // The project that `init` writes tests itself, with node:test.
      exclude: ['generator/init/template/**'],
    },
  }),
);
