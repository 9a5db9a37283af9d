import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const ENTRY = join(ROOT, 'entry.js');

/** Matches openapi-fetch and the raw calls that load it. */
const RAW_CALLS = /\/send-raw\.ts$/;

const PEERS = /^(msw|react|@tanstack)/;

/**
 * Bundles and minifies a small browser program, and returns its gzipped size: of the part that is loaded
 * immediately, and of everything in one file, which is what `size-limit` measures.
 *
 * @param external modules to leave out
 */
async function bundle(code: string, external = /^$/) {
  const build = await rolldown({
    cwd: ROOT,
    input: ENTRY,
    platform: 'browser',
    preserveEntrySignatures: 'allow-extension',
    resolve: { conditionNames: ['berth-source', 'import', 'default'] },
    external: (id) => external.test(id),
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? code : null),
      },
    ],
  });
  const generate = async (codeSplitting: boolean) => {
    const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting });
    return output.filter((file): file is OutputChunk => file.type === 'chunk');
  };
  const [whole] = await generate(false);
  const chunks = await generate(true);
  // The entry loads the chunks that it imports, and shares them with what is loaded later.
  const first = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of first) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) first.add(chunk);
  }
  const namesOf = (chunk: OutputChunk | undefined) =>
    [...(chunk?.moduleIds ?? []), ...(chunk?.imports ?? [])].map((id) =>
      id.replace(/^.*\/(src|node_modules)\//, ''),
    );
  return {
    whole: gzipSync(whole?.code ?? '').length,
    firstModules: [...first].flatMap(namesOf),
    modules: namesOf(whole),
    later: chunks.filter((chunk) => !first.has(chunk)).map(({ name }) => name),
  };
}

const GATEWAY = "export { bearer, createGatewayClient } from '@berth/client'";
const STORAGE = "export { createStorageClient } from '@berth/client'";
const EVERYTHING = "export * from '@berth/client'";
const MSW = "export * from '@berth/client/msw'";
const REACT_QUERY = "export * from '@berth/client/react-query'";

/** Returns the modules in a list that match. */
const among = (modules: string[], pattern: RegExp) => modules.filter((name) => pattern.test(name));

// The goal for everything with the raw calls is 15 kB, which is not met: openapi-fetch alone takes 2.2
// kB.
describe('a bundle, minified and compressed with gzip', () => {
  it.each([
    ['the gateway', GATEWAY, 8_000, 11_000],
    ['storage', STORAGE, 9_000, 12_300],
    ['everything', EVERYTHING, 15_000, 17_500],
  ])('of %s has a limit, without and with the raw calls', async (_, code, limit, withRaw) => {
    const { whole, later } = await bundle(code, RAW_CALLS);
    expect(whole).toBeLessThanOrEqual(limit);
    expect(later).toEqual([]);
    expect((await bundle(code)).whole).toBeLessThanOrEqual(withRaw);
  });
});

describe('a bundle only contains what is imported', () => {
  it.each<[string, string, RegExp]>([
    ['the gateway', STORAGE, /gateway|service\/|bearer|tc3|schema|event|socket/],
    ['storage', GATEWAY, /storage|upload|download|operations|xml|platform\/|link|envelope/],
    ['signatures', GATEWAY, /tc3/],
    ['Node', EVERYTHING, /platform\/node|cli\/|^node:/],
    ['the other entries', EVERYTHING, /msw|react|tanstack/],
    ['the clients', MSW, /react|^internal\/pipeline|^create-|^operations|^service\//],
    ['the mocks', REACT_QUERY, /msw/],
  ])('%s', async (_, code, absent) => {
    const { modules } = await bundle(code, PEERS);
    expect(modules.length).toBeGreaterThan(10);
    expect(among(modules, absent)).toEqual([]);
  });

  it('openapi-fetch, until a raw call is made', async () => {
    for (const code of [GATEWAY, STORAGE, EVERYTHING]) {
      const { firstModules, later } = await bundle(code);
      expect(among(firstModules, /openapi-fetch/)).toEqual([]);
      expect(later).toContain('send-raw');
    }
  });
});
