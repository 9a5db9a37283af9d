import shared from '../../vitest.shared.ts';

/** Most of the time is spent waiting: for Dredd, which is started again and again, and for links that expire. */
export default {
  ...shared,
  test: {
    ...shared.test,
    maxWorkers: 2,
    maxConcurrency: 4,
    isolate: false,
  },
};
