import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Watch } from '../live.ts';

export interface FreshImport {
  readonly module: Promise<Record<string, unknown>>;
  /** The module and the user's modules that it imports, also later. */
  readonly files: ReadonlySet<string>;
  close(): void;
}

/** Query of a module that is loaded again; the local modules that it imports get it, too. */
const QUERY = 'berth-load';

/** Returns a message or a stack with the paths of modules as they are on disk. */
export function withoutModuleQuery(text: string): string {
  return text.replaceAll(new RegExp(`\\?${QUERY}=\\d+`, 'g'), '');
}

/** A path, a URL, or an alias from the `imports` of the user's package. */
const LOCAL = /^(\.{1,2}(\/|$)|file:|#)/;

/** Users do not edit files inside packages. */
const EDITABLE = /^file:(?!.*\/node_modules\/)/;

/** Distinguishes all loads in this process. */
let loads = 0;

/**
 * Imports a module again, with the local modules that it imports, and watches them.
 *
 * @param entry real path of the module
 * @param previous import of the same module, which is no longer watched
 */
export function importFresh(entry: string, watch: Watch, previous?: FreshImport): FreshImport {
  previous?.close();
  // Modules in CommonJS have no query: Node caches them by path.
  const { cache } = createRequire(entry);
  for (const file of previous?.files ?? []) delete cache[file];

  loads += 1;
  const query = `${QUERY}=${loads}`;
  const files = new Set<string>();
  const add = (file: string) => {
    files.add(file);
    watch(file);
  };
  const isOurs = (url = '') =>
    url.startsWith('file:') &&
    (url.includes('?') ? url.split('?')[1] === query : files.has(fileURLToPath(url)));
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const isLocal = LOCAL.test(specifier) && isOurs(context.parentURL);
      // Before it is resolved, because a missing file may be created.
      if (isLocal) add(fileURLToPath(new URL(specifier, context.parentURL)));
      const resolved = next(specifier, context);
      if (!isLocal || !EDITABLE.test(resolved.url)) return resolved;
      // `require` accepts a path without its extension, and a folder.
      add(fileURLToPath(resolved.url));
      if (context.conditions.includes('require')) return resolved;
      return { ...resolved, url: `${resolved.url}?${query}` };
    },
  });
  add(entry);
  const module = importModule(`${pathToFileURL(entry).href}?${query}`);
  return { module, files, close: () => hooks.deregister() };
}

/** Node's `import()`. Test runners replace it in the modules they load, and transform what it loads. */
async function importModule(url: string): Promise<Record<string, unknown>> {
  const code = 'data:text/javascript,export default (url) => import(url)';
  const { default: load } = await import(/* @vite-ignore */ code);
  return load(url);
}
