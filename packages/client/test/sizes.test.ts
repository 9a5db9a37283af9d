import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const ENTRY = join(ROOT, 'entry.js');

/**
 * Bundles and minifies a program for browsers. Returns the gzipped size of what it loads at first and of all its
 * chunks, in bytes. Each chunk is compressed separately, as a server does it.
 */
async function sizesOf(code: string) {
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
  const { output } = await build.generate({ format: 'esm', minify: true });
  const chunks = output.filter((file) => file.type === 'chunk');
  const loaded = new Set(['entry.js']);
  for (const name of loaded) {
    for (const file of chunks.find(({ fileName }) => fileName === name)?.imports ?? [])
      loaded.add(file);
  }
  const sizes = chunks.map((chunk) => ({ ...chunk, size: gzipSync(chunk.code).length }));
  const sum = (files: typeof sizes) => files.reduce((total, { size }) => total + size, 0);
  return { first: sum(sizes.filter(({ fileName }) => loaded.has(fileName))), all: sum(sizes) };
}

// The bytes that a page loads before its first call, and with all that is loaded on first use (event streams,
// WebSockets, uploads and downloads), rounded up to the next 100, so that growth fails. openapi-fetch alone has 2,600.
it.each([
  ['the gateway', 'bearer, createGatewayClient', 9_400, 13_100],
  ['storage', 'createStorageClient', 10_000, 14_200],
  ['both', 'bearer, createGatewayClient, createStorageClient', 13_000, 21_100],
])('a bundle of %s, minified and compressed, has a maximum size', async (_, names, first, all) => {
  const sizes = await sizesOf(`export { ${names} } from '@berth/client'`);
  expect(sizes.first).toBeLessThanOrEqual(first);
  expect(sizes.all).toBeLessThanOrEqual(all);
});
