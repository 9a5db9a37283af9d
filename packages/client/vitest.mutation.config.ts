import shared from '../../vitest.shared.ts';

/** The tests to run against mutants: those that need no other program and no browser. */
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
