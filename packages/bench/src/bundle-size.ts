import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';

const ENTRY = 'entry.js';

type Options = {
  /** Modules that are not counted, by their file name. */
  leftOut?: RegExp;
  /** Counts what is loaded at once, without what is imported later; else all of it in one file. */
  atOnce?: boolean;
};

/** Bytes of a small program for browsers, minified and compressed with gzip. */
export async function bundleSize(
  code: string,
  { leftOut = /^$/, atOnce = false }: Options = {},
): Promise<number> {
  const build = await rolldown({
    cwd: import.meta.dirname,
    input: ENTRY,
    platform: 'browser',
    preserveEntrySignatures: 'allow-extension',
    external: (id) => leftOut.test(id),
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? { id: `${import.meta.dirname}/${ENTRY}` } : null),
        load: (id) => (id.endsWith(`/${ENTRY}`) ? code : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: atOnce });
  await build.close();
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  const first = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of first) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) first.add(chunk);
  }
  return [...first].reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0);
}
