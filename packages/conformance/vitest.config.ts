import shared from '../../vitest.shared.ts';

/** Most of the time goes into starting Dredd, again and again: in parallel. */
export default {
  ...shared,
  test: {
    ...shared.test,
    maxWorkers: 2,
    isolate: false,
  },
};
