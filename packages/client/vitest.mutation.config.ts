import shared from '../../vitest.shared.ts';

/** The tests that run against mutants of the source: those that need no other program or browser. */
export default {
  ...shared,
  test: {
    ...shared.test,
    include: ['src/**/*.test.ts', 'test/*.test.ts', 'test/react-query/*.test.ts'],
    exclude: ['test/{entries,packed,public-docs,sizes,faults-through-a-proxy}.test.ts'],
    reporters: ['default'],
    isolate: false,
    testTimeout: 8_000,
  },
};
