import { mergeConfig } from 'vitest/config';
import own from './vitest.config.ts';

/** The tests that mutants of the runtime are held against: those that take seconds. */
export default mergeConfig(own, {
  test: {
    exclude: [
      'test/{features,fuzz,generate-cli,init,no-compiler,public-documents,public-names,verdicts}.test.ts',
    ],
    reporters: ['default'],
    testTimeout: 8_000,
  },
});
