import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const ENTRY = join(ROOT, 'entry.js');

/** Loads openapi-fetch, and with it the raw calls. */
const RAW_CALLS = /\/send-raw\.ts$/;

/**
 * Bundles a small program for browsers, minified, and gives its size with gzip: of what is loaded at
 * once, and of all of it in one file, which is what `size-limit` measures.
 *
 * @param external modules that are left out
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
  const first = chunks.find(({ isEntry }) => isEntry);
  const sizeOf = (chunk: OutputChunk | undefined) => gzipSync(chunk?.code ?? '').length;
  const namesOf = (chunk: OutputChunk | undefined) =>
    (chunk?.moduleIds ?? []).map((id) => id.replace(/^.*\/(src|node_modules)\//, ''));
  return {
    first: sizeOf(first),
    whole: sizeOf(whole),
    chunks: chunks.reduce((sum, chunk) => sum + sizeOf(chunk), 0),
    firstModules: namesOf(first),
    modules: namesOf(whole),
    later: chunks.filter(({ isEntry }) => !isEntry).map(({ name }) => name),
  };
}

const GET = `
  import { bearer, createGatewayClient } from '@berth/client';
  const gateway = createGatewayClient({ baseUrl: 'https://g.example', auth: bearer(() => 't') });
  export const result = gateway.service('hello').get('a');`;
const GATEWAY = "export { bearer, createGatewayClient } from '@berth/client'";
const STORAGE = "export { createStorageClient } from '@berth/client'";
const EVERYTHING = "export * from '@berth/client'";

/** What of a list of modules matches. */
const among = (modules: string[], pattern: RegExp) => modules.filter((name) => pattern.test(name));

// The goals are 5, 8, 8 and 14 kB. A limit above its goal is what is reached so far: lower it, never raise it.
describe('a bundle, minified and compressed with gzip', () => {
  it('of a plain get loads at most 5 kB', async () => {
    const { first, firstModules, later } = await bundle(GET);
    expect(first).toBeLessThanOrEqual(5_000);
    expect(later).toEqual(expect.arrayContaining(['stream-events', 'connect-socket', 'send-raw']));
    const absent =
      /openapi-fetch|storage|upload|operations|tc3|xml|event|socket|generated\/(?!contract)/;
    expect(among(firstModules, absent)).toEqual([]);
  });

  it.each([
    ['the gateway', GATEWAY, 8_000, 9_400],
    ['storage', STORAGE, 8_700, 11_750],
    ['everything', EVERYTHING, 14_000, 16_300],
  ])('of %s has a limit, without and with the raw calls', async (_, code, limit, withRaw) => {
    expect((await bundle(code, RAW_CALLS)).whole).toBeLessThanOrEqual(limit);
    expect((await bundle(code)).whole).toBeLessThanOrEqual(withRaw);
  });

  it('of storage is at most 8.4 kB in its chunks, those of the raw calls left out', async () => {
    const { chunks, later } = await bundle(STORAGE, RAW_CALLS);
    expect(later).toEqual([]);
    expect(chunks).toBeLessThanOrEqual(8_400);
  });
});

describe('what is not imported is not in the bundle', () => {
  it.each<[string, string, RegExp]>([
    ['the gateway', STORAGE, /gateway|service\/|bearer|tc3|schema|event|socket/],
    ['storage', GATEWAY, /storage|upload|download|operations|xml|platform\/|link|envelope/],
    ['signatures', GATEWAY, /tc3/],
    ['Node', EVERYTHING, /platform\/node|cli\/|^node:/],
  ])('%s', async (_, code, absent) => {
    const { modules } = await bundle(code);
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
