import { rolldown } from 'rolldown';

/**
 * Bundles each entry into one file, because the many small files that `tsc` writes take twice as long to
 * load.
 */
const bundle = await rolldown({
  input: {
    index: 'dist/src/index.js',
    runtime: 'dist/src/runtime/index.js',
    engine: 'dist/src/engine/index.js',
    'engine-node': 'dist/src/engine/node/index.js',
  },
  external: [/^node:/, '@fastify/busboy', 'range-parser'],
  platform: 'node',
});
await bundle.write({ dir: 'dist/bundle', format: 'esm', sourcemap: true });
