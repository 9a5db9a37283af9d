// Replaces the one module that imports Prism with a bundle of Prism, its dependencies and their licences.
import { rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { toLicenses } from '../../../scripts/licenses.ts';

const MODULE = 'dist/prism/prism-http';

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

writeFileSync(`${MODULE}.licenses.txt`, toLicenses(moduleIds));
