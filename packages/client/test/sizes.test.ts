import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const ENTRY = join(ROOT, 'entry.js');

/** Bundles and minifies a browser program in one file, and returns its gzipped size in bytes. */
async function sizeOf(code: string): Promise<number> {
  const build = await rolldown({
    cwd: ROOT,
    input: ENTRY,
    platform: 'browser',
    resolve: { conditionNames: ['berth-source', 'import', 'default'] },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? code : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  return gzipSync(output[0].code).length;
}

describe('a bundle, minified and compressed with gzip, has a limit', () => {
  it.each([
    ['the gateway', "export { bearer, createGatewayClient } from '@berth/client'", 11_000],
    ['storage', "export { createStorageClient } from '@berth/client'", 12_300],
    ['everything', "export * from '@berth/client'", 17_500],
  ])('of %s', async (_, code, limit) => {
    expect(await sizeOf(code)).toBeLessThanOrEqual(limit);
  });
});
