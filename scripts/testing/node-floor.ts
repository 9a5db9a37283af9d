import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Path of the oldest Node that the packages support. */
export const NODE_FLOOR = join(
  dirname(createRequire(import.meta.url).resolve('node22/package.json')),
  'bin/node',
);
