import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const conditionNames = ['berth-source', 'browser', 'import', 'default'];
const FOLDER = import.meta.dirname;
const require = createRequire(import.meta.url);
const STREAMS = require.resolve('readable-stream/lib/ours/browser.js');
const SHIMS = join(FOLDER, 'worker/node-shims.ts');

/** Bundles the worker of the playground as `worker.js`, and the client for its programs as `client.js`. */
export async function buildPlayground(folder: string): Promise<void> {
  const worker = await rolldown({
    input: join(FOLDER, 'worker/index.ts'),
    platform: 'browser',
    resolve: {
      conditionNames,
      alias: {
        'node:buffer': SHIMS,
        'node:crypto': SHIMS,
        'node:events': createRequire(STREAMS).resolve('events/'),
        'node:http': join(FOLDER, 'worker/node-http.ts'),
        'node:net': SHIMS,
        'node:stream$': STREAMS,
        'node:stream/promises': SHIMS,
        'node:util': SHIMS,
      },
    },
    transform: {
      inject: {
        Buffer: [require.resolve('buffer/'), 'Buffer'],
        process: createRequire(STREAMS).resolve('process/browser.js'),
      },
    },
  });
  // Not all browsers run modules as service workers.
  const output = { format: 'iife', minify: true, codeSplitting: false } as const;
  await worker.write({ file: join(folder, 'worker.js'), ...output });
  const client = await rolldown({
    input: '@berth/client',
    platform: 'browser',
    resolve: { conditionNames },
  });
  await client.write({ file: join(folder, 'client.js'), minify: true, codeSplitting: false });
}
