// Replaces the one module that imports Prism with a bundle of Prism, its dependencies and their licences.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

const MODULE = 'dist/contract/oracle/prism';

const URL_MODULE = '\0url';
/** `resolve`, replaced as the Node docs suggest. */
const RESOLVING_URLS = `
export * from 'node:url';
export function resolve(from, to) {
  const url = new URL(to, new URL(from, 'resolve://'));
  return url.protocol === 'resolve:' ? url.pathname + url.search + url.hash : url.href;
}`;

const bundle = await rolldown({
  input: { prism: `${MODULE}.js` },
  platform: 'node',
  external: [/^node:/],
  plugins: [
    {
      name: 'uri-template-lite',
      // It exports via `this`, which a bundler treats as an ES module's `this`.
      transform: (code, id) =>
        /uri-template-lite/.test(id) ? code.replaceAll('this.URI', 'exports.URI') : undefined,
    },
    {
      name: 'url',
      // Outside node_modules, `url.resolve` causes a deprecation warning (DEP0169) on Node 26.
      resolveId: (id) => (id === 'url' ? URL_MODULE : undefined),
      load: (id) => (id === URL_MODULE ? RESOLVING_URLS : undefined),
    },
  ],
  resolve: {
    alias: {
      // Its generator supports about 70 languages; Prism uses one.
      '@faker-js/faker': '@faker-js/faker/locale/en',
      // A bundler cannot follow its UMD modules.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      // Prism proxies no calls here, and its client triggers a `punycode` warning.
      'node-fetch': 'tslib',
    },
  },
});
const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
const [{ code, moduleIds }] = output;
writeFileSync(`${MODULE}.js`, code);
// No types refer to it, and its source map belongs to the unbundled module.
for (const end of ['d.ts', 'js.map']) rmSync(`${MODULE}.${end}`);

const folders = new Set(moduleIds.map(toPackage).filter((folder) => folder !== undefined));
const texts = [...folders].map(describe).sort();
writeFileSync(`${MODULE}.licenses.txt`, [...new Set(texts)].join(`\n${'-'.repeat(79)}\n\n`));

/** Returns the package that a module belongs to; undefined for the bundler's helpers and our own code. */
function toPackage(id: string): string | undefined {
  if (!id.includes('/node_modules/')) return undefined;
  let folder = dirname(id);
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

/** A subfolder may contain a manifest that only sets the module type. */
function isPackage(folder: string): boolean {
  const file = join(folder, 'package.json');
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version !== undefined;
}

function describe(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name}@${version} (${license})\n${text}`;
}
