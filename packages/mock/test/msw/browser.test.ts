import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

// The Vite example runs them in Chromium.
test('the handlers import no Node.js modules', async () => {
  const built = await rolldown({
    input: join(import.meta.dirname, '../../src/msw/index.ts'),
    platform: 'browser',
    resolve: { conditionNames: ['berth-source', 'browser', 'import'] },
    external: /^(node:|msw$)/,
    // An import of a Node.js module is visible even if it is not used.
    treeshake: false,
  });
  const { output } = await built.generate({ format: 'esm', codeSplitting: false });
  expect(output[0].imports).toEqual(['msw']);
});
