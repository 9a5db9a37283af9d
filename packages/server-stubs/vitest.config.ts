import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      // No test mocks modules, so they are loaded only once.
      isolate: false,
      include: ['{src,generator,test,scripts}/**/*.test.ts'],
    },
  }),
);
