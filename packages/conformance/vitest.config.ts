import { tmpdir } from 'node:os';
import { join } from 'node:path';
import shared from '../../vitest.shared.ts';

/** Most of the time goes into starting Dredd, again and again: in parallel, and compiled once. */
export default {
  ...shared,
  test: {
    ...shared.test,
    maxWorkers: 2,
    isolate: false,
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'berth-compile-cache') },
  },
};
