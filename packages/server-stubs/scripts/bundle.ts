// Bundles the generator with its tools and their licences, so that installing this package installs neither
// openapi-typescript and its TypeScript nor Redocly.
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import pnpm from '../../../.pnpmfile.cjs';
import { toLicenses } from '../../../scripts/licenses.ts';
import manifest from '../package.json' with { type: 'json' };

const DIST = join(import.meta.dirname, '../dist');
const EMPTY = '\0empty';

// Of the published package: the others are bundled.
const installed = Object.keys(pnpm.hooks.beforePacking(manifest).dependencies).join('|');
const bundle = await rolldown({
  input: {
    'generator/cli': join(DIST, 'generator/cli.js'),
    'generator/document': join(DIST, 'generator/document.js'),
  },
  platform: 'node',
  // What CommonJS modules have, such as TypeScript.
  transform: { define: { __filename: 'import.meta.filename', __dirname: 'import.meta.dirname' } },
  external: [/^node:/, new RegExp(`^(?:${installed})(?:/|$)`)],
  plugins: [
    {
      name: 'openapi-typescript',
      // Its second Redocly only loads documents, which the generator does itself.
      resolveId: (id, importer) =>
        importer?.includes('/openapi-typescript/') &&
        /^@redocly\/openapi-core$|redoc\.mjs$/.test(id)
          ? EMPTY
          : undefined,
      load: (id) =>
        id === EMPTY ? 'export const createConfig = 0, validateAndBundle = 0;' : undefined,
    },
  ],
});
const { output } = await bundle.generate({
  format: 'esm',
  minify: true,
  chunkFileNames: 'generator/[name]-[hash].js',
});

// The types of `generator/document.ts`, and those that they refer to, are kept.
const replaced = globSync('generator/**/*.{js,map,d.ts}', { cwd: DIST });
const types = ['document', 'json', 'openapi', 'subschemas'].map((name) => `generator/${name}.d.ts`);
for (const file of replaced.filter((each) => !types.includes(each))) {
  rmSync(join(DIST, file));
}
for (const chunk of output) {
  if (chunk.type === 'chunk') writeFileSync(join(DIST, chunk.fileName), chunk.code);
}
const moduleIds = output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
writeFileSync(join(DIST, 'generator/licenses.txt'), toLicenses(moduleIds));
