import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

const ENTRY = `
import equal from 'ajv/dist/runtime/equal.js';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
import formats from 'ajv-formats/dist/formats.js';
export default { equal, ucs2length, formats: formats.fullFormats };
`;
const PACKAGES = ['ajv', 'ajv-formats', 'fast-deep-equal'];

/** Starts with the licenses of the bundled packages. */
export async function bundleAjvHelpers(): Promise<string> {
  const bundle = await rolldown({
    input: 'entry.js',
    cwd: import.meta.dirname,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry.js' ? join(import.meta.dirname, id) : null),
        load: (id) => (id === join(import.meta.dirname, 'entry.js') ? ENTRY : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', comments: { annotation: false } });
  const code = output[0].code
    // As Ajv's code generator would import the helper.
    .replace(/^\s*\w+\.code = .*\n/gm, '')
    // Paths on this machine, and source maps.
    .replace(/^\/\/.*\n/gm, '')
    .replace(/export \{ (\w+) as default \};/, TYPED_EXPORT);
  return `// @ts-nocheck\n${await readNotices()}\n${code}`;
}

const TYPED_EXPORT = `/** Ajv helpers that generated validators need at run time. */
export const ajvHelpers: {
  readonly equal: (a: unknown, b: unknown) => boolean;
  readonly ucs2length: (text: string) => number;
  readonly formats: Readonly<Record<string, any>>;
} = $1;`;

async function readNotices(): Promise<string> {
  const ajv = createRequire(createRequire(import.meta.url).resolve('ajv'));
  const notices = await Promise.all(
    PACKAGES.map(async (name) => {
      const require = name === 'fast-deep-equal' ? ajv : createRequire(import.meta.url);
      const folder = dirname(require.resolve(`${name}/package.json`));
      const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const licence = await readFile(join(folder, 'LICENSE'), 'utf8');
      return `${name} ${version}\n\n${licence.trim()}`;
    }),
  );
  return `/*!\n${notices.join('\n\n').replaceAll('*/', '*\\/')}\n*/`;
}
