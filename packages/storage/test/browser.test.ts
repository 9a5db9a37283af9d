import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

test('the engine imports no Node.js modules', async () => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, '../src/index.ts'),
    external: /^node:/,
    platform: 'browser',
    resolve: { conditionNames: ['berth-source', 'import'] },
    // An import of a Node.js module is visible even if it is not used.
    treeshake: false,
  });
  const { output } = await bundle.generate({ format: 'esm' });
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
});
