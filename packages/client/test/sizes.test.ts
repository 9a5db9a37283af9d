import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const ENTRY = join(ROOT, 'entry.js');

/** Bundles a small program for browsers, minified, and gives what is loaded at once and what later. */
async function bundle(code: string) {
  const build = await rolldown({
    cwd: ROOT,
    input: ENTRY,
    platform: 'browser',
    preserveEntrySignatures: 'allow-extension',
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
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  const size = (...names: string[]) =>
    chunks
      .filter(({ isEntry, name }) => isEntry || names.includes(name))
      .reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0);
  const first = chunks.find(({ isEntry }) => isEntry);
  const modules = (first?.moduleIds ?? []).map((id) => id.replace(/^.*\/(src|node_modules)\//, ''));
  return { size, modules, later: chunks.filter(({ isEntry }) => !isEntry).map(({ name }) => name) };
}

const gateway = (use: string) => `
  import { bearer, createGatewayClient } from '@berth/client';
  const gateway = createGatewayClient({ baseUrl: 'https://g.example', auth: bearer(() => 't') });
  const service = gateway.service('hello');
  export const result = ${use};`;

describe('a bundle, minified and compressed with gzip', () => {
  it('of a plain get is at most 5 kB', async () => {
    const { size, modules, later } = await bundle(gateway("service.get('a')"));
    expect(size()).toBeLessThanOrEqual(5_000);
    expect(later).toEqual(expect.arrayContaining(['stream-events', 'connect-socket', 'send-raw']));
    const absent =
      /openapi-fetch|storage|upload|operations|tc3|xml|event|socket|generated\/(?!contract)/;
    expect(modules.filter((name) => absent.test(name))).toEqual([]);
  });

  it('of the gateway with events, WebSockets, retries, refresh and validation is at most 8 kB', async () => {
    const use = "[service.get('a'), service.events('b'), service.connect('c')]";
    const { size } = await bundle(gateway(use));
    expect(
      size('stream-events', 'connect-socket', 'check-payload', 'contract-failure'),
    ).toBeLessThanOrEqual(8_000);
  });
});
