import { mergeConfig } from 'vitest/config';
import own from './vitest.config.ts';

/** The tests that run against mutants of the runtime, without the slow ones. */
export default mergeConfig(own, {
  test: {
    exclude: [
      'test/{features,fuzz,generate-cli,init,no-compiler,public-documents,public-names,verdicts}.test.ts',
    ],
    reporters: ['default'],
    testTimeout: 8_000,
  },
});
